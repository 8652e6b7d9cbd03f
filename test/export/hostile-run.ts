/** A run in which every text that came from elsewhere attacks whoever reads it. */
import type { RunResult, TerminalRunStatus } from '../../src/contract/result.ts';
import type { RunExport } from '../../src/contract/run-export.ts';
import { renderReport } from '../../src/domain/report.ts';
import { budget, description, result, subagent, usage } from '../support/fake-research-api.ts';

export const attacks = [
  '<img src=x onerror=alert(1)>',
  '<script>alert(2)</script>',
  '[x](javascript:alert(3))',
  '"><svg onload=alert(4)>',
  "' onmouseover='alert(5)",
  '</title></style><iframe src="//evil.test">',
  '![p](https://evil.test/pixel.png)',
  '[1]: https://evil.test/definition',
  '</article></main><h1>Forged</h1>',
  '<!-- --><a href="data:text/html,<script>alert(6)</script>">d</a>',
] as const;
export const attack = attacks.join(' ');
/** The same where lines count. */
export const attackLines = attacks.join('\n\n');

const forged = '\n# Forged heading\n\n## Sources\n\n- [1] https://evil.test\n';

export function toExport(overrides: Partial<RunExport> & { readonly result: RunResult | null }): RunExport {
  const run = overrides.run ?? description('run_1');
  const { result: ended } = overrides;
  return {
    type: 'export',
    runId: 'run_1',
    run,
    sources: ended?.sources ?? [],
    findings: [],
    budget: ended?.budget ?? run.budget,
    events: [],
    ...overrides,
  };
}

/** `status` without a report is one of those that have none. */
export function hostileRun(status: TerminalRunStatus): RunExport {
  const text = attack + forged;
  const sources = [
    { id: 'd1', url: `javascript:alert(7)//${attack}`, title: text, by: 's1' },
    { id: 'd2', url: `https://example.org/a?b=<script>&c="onload='x'`, title: text, by: 's1' },
    { id: 'd3', url: 'https://bank.example@evil.test/', title: text, by: 's2' },
    { id: 'd4', url: text, title: '', by: 's2' },
  ];
  const citations = sources.map(({ id }, index) => ({
    marker: `[${index + 1}]`,
    sourceId: id,
    quote: text,
    verified: index === 0,
  }));
  const gaps = [{ subagentId: 's2', goal: text, status: 'failed', reason: 'rate-limit' }] as const;
  const notes = [text, `# ${attack}`, `- ${attack}`];
  const body = `## Found\n\nWell.[1][2] Not there.[9] rows[0]\n\n${attackLines}\n\n${forged}\n\n<div onclick="alert(8)">\n\n- ${attack}\n\n> ${attack}\n\n| ${attack.replaceAll('|', '')} | b |\n|---|---|\n| ${attack} | [1] |\n`;
  const report = renderReport({ question: text, body, citations, sources, gaps, notes });
  const hasReport = status === 'completed' || status === 'partial';
  return toExport({
    run: description('run_1', {
      title: text,
      tags: [text],
      status,
      tree: [
        subagent('s1', { goal: text, status: 'done' }),
        subagent('s2', { goal: text, status: 'failed', reason: 'rate-limit', message: text }),
      ],
      notes,
    }),
    result: result('run_1', status, {
      question: `${text} why?`,
      report: hasReport ? report : null,
      citations,
      sources,
      gaps: [...gaps],
      notes,
      usage: usage(41_203),
      budget: budget(41_203),
      failure: { code: text, message: text },
    }),
    findings: [{ id: 's1.1', subagentId: 's1', text, sourceId: 'd1', quote: text }],
  });
}
