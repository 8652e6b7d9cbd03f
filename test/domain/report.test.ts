import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type SubagentReport, subagentReportSchema } from '../../src/contract/outcome.ts';
import { compactReport, readReport, renderReport, type ReportParts } from '../../src/domain/report.ts';
import { utf8Bytes } from '../../src/domain/text.ts';

const claim = (number: number, length = 40) => ({
  text: `claim ${number} `.padEnd(length, 'x'),
  sourceId: `doc-${number}.md`,
  quote: `quote ${number}`,
});
const report = (given: Partial<SubagentReport>): SubagentReport => ({
  summary: '',
  claims: [],
  tried: [],
  failed: [],
  ...given,
});
const tokensOf = (value: SubagentReport) => Math.ceil(utf8Bytes(JSON.stringify(value)) / 4);

describe('compactReport', () => {
  test('leaves a report that fits as it is', () => {
    const small = report({ summary: 'short', claims: [claim(1)], tried: ['a'], failed: ['b'] });
    expect(compactReport(small, 1_500)).toEqual(small);
  });

  test('drops claims from the end and says how many', () => {
    const large = report({ summary: 'short', claims: Array.from({ length: 200 }, (_, index) => claim(index, 100)) });
    const compact = compactReport(large, 1_500);
    expect(tokensOf(compact)).toBeLessThanOrEqual(1_500);
    expect(compact.claims.length).toBeGreaterThan(30);
    expect(compact.claims).toEqual(large.claims.slice(0, compact.claims.length));
    expect(compact.failed).toEqual([`${200 - compact.claims.length} claims were left out to fit the size of a report`]);
    expect(compact.summary).toBe('short');
  });

  test('keeps as many claims as fit', () => {
    const large = report({ claims: Array.from({ length: 50 }, (_, index) => claim(index)) });
    const compact = compactReport(large, 400);
    expect(tokensOf({ ...compact, claims: large.claims.slice(0, compact.claims.length + 1) })).toBeGreaterThan(400);
  });

  test('a long summary gives way to the claims', () => {
    const compact = compactReport(report({ summary: 'word '.repeat(20_000), claims: [claim(1), claim(2)] }), 1_500);
    expect(compact.claims).toHaveLength(2);
    expect(compact.summary.length).toBeGreaterThan(2_000);
    expect(compact.summary.endsWith('…')).toBe(true);
    expect(compact.failed).toEqual([]);
  });

  test('a long list of failures does not cost the summary', () => {
    const compact = compactReport(
      report({ summary: 'found it', failed: Array.from({ length: 999 }, (_, i) => `f${i}`) }),
      100,
    );
    expect(compact.summary).toBe('found it');
    expect(compact.failed.length).toBeGreaterThan(10);
  });

  test('is within the bound, legal and well-formed for any report', () => {
    const anyText = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(fc.integer({ min: 0xd700, max: 0xe000 })).map((units) => String.fromCharCode(...units)),
      fc.constant('long '.repeat(1_000)),
    );
    const anyReport = fc.record({
      summary: anyText,
      claims: fc.array(fc.record({ text: anyText, sourceId: anyText, quote: anyText }), { maxLength: 20 }),
      tried: fc.array(anyText, { maxLength: 20 }),
      failed: fc.array(anyText, { maxLength: 20 }),
    });
    fc.assert(
      fc.property(anyReport, fc.integer({ min: 13, max: 2_000 }), (given, maxTokens) => {
        const compact = compactReport(given, maxTokens);
        expect(tokensOf(compact)).toBeLessThanOrEqual(maxTokens);
        expect(subagentReportSchema.safeParse(compact).success).toBe(true);
        expect([compact.summary, ...compact.tried, ...compact.failed].every((text) => text.isWellFormed())).toBe(true);
      }),
      { numRuns: 200 },
    );
  });
});

describe('readReport', () => {
  const whole = report({ summary: 'found', claims: [claim(1)], tried: ['t'], failed: ['f'] });

  test.each([
    ['bare', JSON.stringify(whole)],
    ['fenced', `Done.\n\`\`\`json\n${JSON.stringify(whole, null, 2)}\n\`\`\``],
    ['in prose', `My report: ${JSON.stringify(whole)} That is all.`],
    ['with unknown keys', JSON.stringify({ ...whole, confidence: 0.9 })],
  ])('reads JSON that is %s', (_, text) => {
    expect(readReport(text)).toEqual(whole);
  });

  test('what is missing is empty, and claims without a source or a quote are dropped', () => {
    const claims = [
      claim(1),
      { text: 'no source', quote: 'q' },
      { text: 'x', sourceId: 'a', quote: ' ' },
      'text',
      null,
    ];
    expect(readReport(JSON.stringify({ claims }))).toEqual(report({ claims: [claim(1)] }));
    expect(readReport('{"summary":"s","failed":"could not open a.md"}')).toEqual(
      report({ summary: 's', failed: ['could not open a.md'] }),
    );
  });

  test('other text is the summary', () => {
    expect(readReport(' I found {nothing} in [1]. ')).toEqual(report({ summary: 'I found {nothing} in [1].' }));
    expect(readReport('{"answer":42}')).toEqual(report({ summary: '{"answer":42}' }));
  });

  test.each(['', ' \n', '\0', 'null', '{}', '[]', '""', '{"summary":" ","claims":[]}'])(
    '%j hands nothing back',
    (text) => {
      expect(readReport(text)).toBeNull();
    },
  );

  test('never throws, and what it reads is legal', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.json(),
      fc.record({ claims: fc.jsonValue(), tried: fc.jsonValue() }).map((value) => JSON.stringify(value)),
    );
    fc.assert(
      fc.property(text, (given) => {
        const read = readReport(given);
        return read === null || subagentReportSchema.safeParse(read).success;
      }),
    );
  });
});

describe('renderReport', () => {
  const parts: ReportParts = {
    question: 'How does\nit work?',
    body: '## Answer\n\nLike this [1].\n',
    citations: [{ marker: '[1]', sourceId: 'a.md', quote: 'it\nworks', verified: true }],
    sources: [{ id: 'a.md', url: 'file:///a.md', title: 'About A', by: 's1' }],
    gaps: [],
    notes: [],
  };

  test('is the question, the body and the sources by their markers', () => {
    expect(renderReport(parts)).toBe(
      '# How does it work?\n\n## Answer\n\nLike this [1].\n\n## Sources\n\n[1] About A — file:///a.md — “it works”\n',
    );
  });

  test('lists what was not answered, and says that this is not the same as finding nothing', () => {
    const text = renderReport({
      ...parts,
      gaps: [
        { subagentId: 's4', goal: 'Policy', status: 'failed', reason: 'rate-limit' },
        { subagentId: 's5', goal: 'Trade', status: 'skipped' },
      ],
    });
    expect(text).toContain('\n- s4 Policy: failed (rate-limit)\n- s5 Trade: skipped\n');
    expect(text).toContain('does not mean that there is nothing to find');
    expect(text.indexOf('## Gaps')).toBeLessThan(text.indexOf('## Sources'));
  });

  test('has no section without content', () => {
    const text = renderReport({ ...parts, citations: [], body: '' });
    expect(text).toBe('# How does it work?\n');
  });

  test('lists notes', () => {
    expect(renderReport({ ...parts, notes: ['plan: 2 of 8 were left out'] })).toContain(
      '## Notes\n\n- plan: 2 of 8 were left out\n',
    );
  });

  test('words from elsewhere cannot open a tag', () => {
    const text = renderReport({
      ...parts,
      question: '<img src=x>',
      citations: [{ marker: '[1]', sourceId: 'a.md', quote: '<script>alert(1)</script>', verified: true }],
      sources: [{ id: 'a.md', url: 'https://e.org/<b>', title: '</h1><b>bold', by: 's1' }],
      gaps: [{ subagentId: 's2', goal: '<i>', status: 'failed' }],
      notes: ['<u>'],
    });
    expect(text).not.toMatch(/<\/?[a-z]/);
    expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  });

  test('a quote that was not found, and a source that nobody named, are shown as such', () => {
    const citations = [{ marker: '[1]', sourceId: 'z.md', quote: 'q', verified: false }];
    expect(renderReport({ ...parts, citations })).toContain(
      '[1] z.md — “q” (unverified: the source does not hold this quote)\n',
    );
  });
});
