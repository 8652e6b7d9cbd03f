import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseHTML } from 'linkedom';
import { marked } from 'marked';
import type { RunExport } from '../../src/contract/run-export.ts';
import { readReport } from '../../src/export/read-report.ts';
import { renderExport } from '../../src/export/render-export.ts';
import { reportToMarkdown } from '../../src/export/report-to-markdown.ts';
import { description, result } from '../support/fake-research-api.ts';
import { hostileRun, toExport } from './hostile-run.ts';

/** As a reader sees it that lets raw HTML through. */
function read(markdown: string) {
  return parseHTML(`<!doctype html><html><body>${marked.parse(markdown, { async: false })}</body></html>`).document;
}
const canonical = (report: string, citations = 2) => reportToMarkdown(readReport(report, citations));

const shown = new Set('html body h1 h2 h3 h4 h5 h6 p ul ol li a strong em del code pre blockquote table thead tbody tr th td br hr'.split(' ')); // prettier-ignore

describe.each(['completed', 'partial', 'failed', 'cancelled', 'terminated', 'timed-out'] as const)(
  'Markdown of a run that %s, with an attack in every text',
  (status) => {
    const document = read(renderExport(hostileRun(status), 'md'));

    test('opens no tag, and shows no image', () => {
      const names = [...document.querySelectorAll('*')].map((each) => each.localName);
      expect(names.filter((name) => !shown.has(name))).toEqual([]);
    });

    test('has no heading of the first two levels but its own', () => {
      expect(document.querySelectorAll('h1').length).toBe(1);
      const headings = [...document.querySelectorAll('h2')].map((each) => each.textContent);
      const known = ['Report', 'Findings', 'Gaps', 'Notes', 'Sources', 'Subagents', 'Budget'];
      expect(headings.filter((heading) => !known.includes(heading))).toEqual([]);
      expect(new Set(headings).size).toBe(headings.length);
    });

    test('links to web addresses alone, and no words of a link are a citation', () => {
      for (const link of document.querySelectorAll('a')) {
        expect(link.getAttribute('href')).toMatch(/^https?:\/\/(?!bank)/);
        expect(link.textContent).not.toMatch(/^\[?\d+\]?$/);
      }
    });

    test('keeps the rows of its tables whole', () => {
      for (const table of document.querySelectorAll('table')) {
        const counts = [...table.querySelectorAll('tr')].map((row) => row.children.length);
        expect(new Set(counts).size).toBe(1);
      }
    });
  },
);

describe('a report in its canonical form', () => {
  test.each([
    ['## A\n\nWords *e* **s** ~~d~~ `c|d` and snake_case, 5 * 3 = 15.[1][2]', '### A\n\nWords *e* **s** ~~d~~ `c|d` and snake_case, 5 \\* 3 = 15.[1][2]'],
    ['1. a\n2. b\n   - c', '1. a\n2. b\n   - c'],
    ['> q\n>\n> r', '> q\n>\n> r'],
    ['```js\n<b>\n```', '```\n<b>\n```'],
    ['| a | b |\n|:--|--:|\n| 1 | `x\\|y` |', '| a | b |\n| :-- | --: |\n| 1 | `x\\|y` |'],
    ['See https://example.org/a_b and [it](https://example.org/c "t").', 'See <https://example.org/a_b> and [it](<https://example.org/c>).'],
    ['Not there.[7]', 'Not there.~~[7]~~ (no such source)'],
    ['<b>x</b> &lt;y&gt; &amp; z', '&lt;b>x&lt;/b> &lt;y> & z'],
    ['a\\\n\\# b', 'a\\\n\\# b'],
    ['well![it](https://example.org/)', 'well[it](<https://example.org/>)'],
    ['[1]\\(https://evil.test) [1]\\: https://evil.test', '[1]\\(<https://evil.test/>) [1]\\: <https://evil.test/>'],
  ])('%j', (report, expected) => expect(canonical(report)).toBe(expected)); // prettier-ignore

  test('opens no tag and makes no high heading and no odd link, whatever it is made of', () => {
    const piece = fc.constantFrom(...'#*_~`[]()!<>&|\\-+=.:1a \n'.split(''), '\n\n', '\n- ', '\n> ', '| a | b |\n|---|---|\n', '[1]', 'https://x.org/', '](https://x.org/', '<b>', '    ', '```'); // prettier-ignore
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const document = read(canonical(pieces.join('')));
        const names = [...document.querySelectorAll('*')].map((each) => each.localName);
        expect(names.filter((name) => !shown.has(name) || name === 'h1' || name === 'h2')).toEqual([]);
        for (const link of document.querySelectorAll('a')) expect(link.getAttribute('href')).toMatch(/^https?:\/\//);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('Markdown says how the run stands', () => {
  const text = (run: RunExport) => renderExport(run, 'md');

  test('with its gaps, and quotes that were not found', () => {
    const { citations } = result('run_1', 'partial');
    const markdown = text(
      toExport({ result: result('run_1', 'partial', { citations: [{ ...citations[0]!, verified: false }] }) }),
    );
    expect(markdown).toContain('**Partial: ');
    expect(markdown).toContain('- s2 Policy: failed: rate-limit');
    expect(markdown).toContain('**unverified: the source does not hold this quote**');
  });

  test('that it goes on', () => {
    const markdown = text(toExport({ result: null, run: description('run_1', { status: 'awaiting-approval' }) }));
    expect(markdown).toContain('**Not finished: the run is still awaiting-approval.');
    expect(markdown).toContain('There is no report yet.');
  });
});
