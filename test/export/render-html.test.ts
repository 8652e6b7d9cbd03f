import { describe, expect, test } from '@jest/globals';
import { parseHTML } from 'linkedom';
import type { RunExport } from '../../src/contract/run-export.ts';
import { renderExport } from '../../src/export/render-export.ts';
import { description, result, subagent } from '../support/fake-research-api.ts';
import { attacks, hostileRun, toExport } from './hostile-run.ts';

const allowed = new Set(
  'html head meta title style body header nav main section article footer h1 h2 h3 h4 h5 h6 p div span dl dt dd ul ol li a strong em del code pre blockquote table thead tbody tr th td br hr'.split(
    ' ',
  ),
);
const attributes = new Set(
  'lang charset name content http-equiv class id dir href rel scope start role aria-label aria-labelledby aria-hidden tabindex'.split(
    ' ',
  ),
);

function parse(run: RunExport) {
  const page = renderExport(run, 'html');
  return { page, document: parseHTML(page).document };
}
const withReport = (report: string, citations = 1) =>
  toExport({
    result: result('run_1', 'completed', {
      report,
      citations: Array.from({ length: citations }, (_, index) => ({
        marker: `[${index + 1}]`,
        sourceId: 'd1',
        quote: 'found',
        verified: true,
      })),
    }),
  });

describe.each(['completed', 'partial', 'failed', 'cancelled', 'terminated', 'timed-out'] as const)(
  'a page of a run that %s, with an attack in every text',
  (status) => {
    const { page, document } = parse(hostileRun(status));
    const elements = [...document.querySelectorAll('*')];

    test('has only elements and attributes of its own', () => {
      expect(elements.map((each) => each.localName).filter((name) => !allowed.has(name))).toEqual([]);
      const names = elements.flatMap((each) => [...each.attributes].map(({ name }) => name));
      expect(names.filter((name) => !attributes.has(name))).toEqual([]);
    });

    test('links to web addresses and to itself alone, and asks for nothing', () => {
      const links = [...document.querySelectorAll('a')];
      const targets = links.map((link) => link.getAttribute('href')!);
      const inside = targets.filter((target) => target.startsWith('#'));
      const outside = targets.filter((target) => !target.startsWith('#'));
      expect(inside.filter((target) => !document.getElementById(target.slice(1)))).toEqual([]);
      for (const target of outside) {
        expect(target).toMatch(/^https?:\/\//);
        expect(new URL(target)).toMatchObject({ username: '', password: '' });
      }
      expect(links.filter((link) => !link.getAttribute('href')!.startsWith('#')).map((link) => link.rel)).toEqual(
        outside.map(() => 'noopener noreferrer nofollow'),
      );
      expect(document.querySelectorAll('[src],[srcset],[style],[background],[action],link,base').length).toBe(0);
    });

    test('has one style and one heading of the first level, and a policy without scripts', () => {
      expect(document.querySelectorAll('style').length).toBe(1);
      expect(document.querySelectorAll('h1').length).toBe(1);
      expect(document.querySelector('style')!.textContent).not.toMatch(/url\(|@import/);
      const policy = document.querySelector('meta[http-equiv="Content-Security-Policy"]')!.getAttribute('content');
      expect(policy).toContain("default-src 'none'");
      expect(policy).not.toContain('script');
    });

    test('shows the attacks as what they are', () => {
      for (const each of attacks.filter((attack) => attack.startsWith('<'))) {
        expect(document.body.textContent).toContain(each);
      }
    });

    test('has no heading of the second level that is not ours', () => {
      const headings = [...document.querySelectorAll('h2')].map((each) => each.textContent.replace(/ \(\d+\)$/, ''));
      const known = ['Report', 'Findings', 'Gaps', 'Notes', 'Sources', 'Subagents', 'Budget'];
      expect(headings.filter((heading) => !known.includes(heading))).toEqual([]);
      expect(new Set(headings).size).toBe(headings.length);
    });

    test('opens and closes every element that it has', () => {
      expect(page.match(/<\/article>/g)?.length ?? 0).toBe(document.querySelectorAll('article').length);
      expect(page.match(/<\/main>/g)).toHaveLength(1);
    });
  },
);

describe('the report of a page', () => {
  test('has markers that lead to their sources; one that names none is struck out', () => {
    const { document } = parse(withReport('Well.[1] Not.[7] At rows[0], and `[1]` in code.'));
    const article = document.querySelector('article')!;
    expect([...article.querySelectorAll('a')].map((each) => [each.textContent, each.getAttribute('href')])).toEqual([
      ['[1]', '#source-1'],
    ]);
    expect(article.querySelector('del')!.textContent).toBe('[7]');
    expect(article.textContent).toContain('[7] (no such source) At rows[0], and [1] in code.');
  });

  test('does not let a link pass for a citation or for another address', () => {
    const { document } = parse(
      withReport(
        '[1](https://evil.test/a) [[1]](https://evil.test/b) [https://bank.example](https://evil.test/c) [words](https://evil.test/d)\n\n[1]: https://evil.test/e',
      ),
    );
    const links = [...document.querySelectorAll('article a')].map((each) => each.textContent);
    expect(links.slice(0, 4)).toEqual(['https://evil.test/a', 'https://evil.test/b', 'https://bank.example', 'words']);
    expect(document.querySelector('article')!.textContent).toContain('https://bank.example (evil.test)');
    expect(document.querySelectorAll('article a[href="#source-1"]').length).toBe(1);
  });

  test('keeps headings, lists, tables, code and quotes, headings below those of the page', () => {
    const { document } = parse(
      withReport(
        '# One\n\n### Three\n\n1. a\n2. b\n   - c\n\n| x | y |\n|---|--:|\n| 1<br>2 | **3** |\n\n```js\na < b\n```\n\n> q\n\n*e* ~~d~~',
      ),
    );
    const shape = (selector: string) => document.querySelector(`article ${selector}`)?.textContent;
    expect(shape('h3')).toBe('One');
    expect(shape('h5')).toBe('Three');
    expect(shape('ol > li + li > ul > li')).toBe('c');
    expect(shape('th[scope=col].right')).toBe('y');
    expect(document.querySelectorAll('article td br').length).toBe(1);
    expect(shape('pre code')).toBe('a < b');
    expect(shape('blockquote')?.trim()).toBe('q');
  });

  test('is read however deep or long it is', () => {
    for (const report of ['>'.repeat(5_000), '- '.repeat(3_000), '_a_'.repeat(100_000), '['.repeat(50_000)]) {
      expect(parse(withReport(report)).document.querySelectorAll('h1').length).toBe(1);
    }
  });

  test('says its lists once, as sections of the page', () => {
    const run = hostileRun('partial');
    const text = parse(run).document.querySelector('article')!.textContent;
    expect(text).not.toContain('was not looked into to the end');
  });
});

describe('a page says how the run stands', () => {
  const headline = (run: RunExport) =>
    parse(run).document.querySelector('.status')!.textContent.replace(/\s+/g, ' ').trim();

  test('that it failed, and why, with what was found', () => {
    const run = toExport({
      result: result('run_1', 'failed', {
        sources: [{ id: 'd1', url: 'https://example.org/', title: 'One', by: 's1' }],
      }),
      findings: [{ id: 's1.1', subagentId: 's1', text: 'It is so.', sourceId: 'd1', quote: 'so it is' }],
    });
    expect(headline(run)).toBe('Failed after 14s join all: s1 failed (JOIN_UNMET)');
    expect(parse(run).document.querySelector('#findings')!.parentElement!.textContent).toContain('It is so.');
  });

  test('that it goes on', () => {
    const run = toExport({ result: null, run: description('run_1', { tree: [subagent('s1')] }) });
    expect(headline(run)).toBe(
      'Not finished: the run is still running. This is what there was at 2026-11-30 12:00 UTC',
    );
    expect(parse(run).document.querySelector('#report')!.parentElement!.textContent).toContain('no report yet');
  });

  test('that a draft is no report', () => {
    const draft = { number: 2, documentRef: { hash: 'a'.repeat(64), bytes: 1 }, subagents: ['s1'] };
    const run = toExport({ result: result('run_1', 'cancelled', { report: '# q\n\nSo far.', drafts: [draft] }) });
    expect(parse(run).document.body.textContent).toContain('This is draft 2, over s1.');
  });

  test('from its result alone, where its history is gone', () => {
    const run = toExport({ result: result('run_1', 'completed') });
    expect(parse({ ...run, run: null }).document.querySelector('h1')!.textContent).toBe('q');
  });
});
