/** One run of every kind: at work, ended in each way, waiting for a person, with 500 subagents, and with hostile words. */
import type { SubagentView } from '../../src/contract/run-view.ts';
import {
  isoAt,
  meter,
  toDescription,
  toResult,
  toSubagent,
  usage,
  type FixtureEvent,
  type FixtureRun,
} from './fixture-builders.ts';

const minute = 60_000;

/** What a model, a tool or a person may have written. None of it may do anything. */
export const hostile = [
  '<img src=x onerror="window.hacked=1">',
  '<script>window.hacked=1</script>',
  '"><svg onload="window.hacked=1">',
  '[x](javascript:window.hacked=1)',
  '![x](https://evil.example/pixel.png)',
].join(' ');

export function createFixtureRuns(nowMs: number, kind: string): Map<string, FixtureRun> {
  if (kind === 'none') return new Map();
  const runs = [
    liveRun(nowMs),
    planRun(nowMs),
    pausedRun(nowMs),
    cancellingRun(nowMs),
    partialRun(nowMs),
    completedRun(nowMs),
    cancelledRun(nowMs),
    failedRun(nowMs),
    bigRun(nowMs),
    ...(kind === 'hostile' ? [hostileRun(nowMs)] : []),
  ];
  return new Map(runs.map((run) => [run.description.runId, run]));
}

function liveRun(nowMs: number): FixtureRun {
  const start = nowMs - 12 * minute;
  const at = (minutes: number) => isoAt(start + minutes * minute);
  const call = (tool: string, input: string, secondsAgo: number) => ({
    callId: 't3c1',
    tool,
    input,
    startedAt: isoAt(nowMs - secondsAgo * 1_000),
  });
  const ended = (from: number, to: number, overrides: Partial<SubagentView>) => ({
    status: 'done' as const,
    startedAt: at(from),
    closedAt: at(to),
    ...overrides,
  });
  const tree = [
    toSubagent('s1', 'Capacity by country', ended(0.7, 4.3, { findings: 6, toolCalls: 17 })),
    toSubagent('s2', 'Operators', ended(0.7, 5.3, { findings: 8, toolCalls: 21, usage: usage(53_000, 0.33, 21) })),
    toSubagent(
      's2.1',
      'Operator filings',
      ended(2.2, 4.6, { findings: 3, toolCalls: 7, usage: usage(18_000, 0.11, 7) }),
    ),
    toSubagent('s3', 'Feedstock', {
      ...ended(0.7, 0.8, { findings: 5, toolCalls: 0, usage: usage(0) }),
      status: 'reused',
      reusedFrom: 'run_01JQ5F8A2B',
    }),
    toSubagent('s4', 'Policy', {
      ...ended(0.7, 2.2, { findings: 1, toolCalls: 4, usage: usage(9_000, 0.09, 4) }),
      status: 'failed',
      reason: 'rate-limit',
      message: 'the provider answered 429 to 4 requests; the last one said to wait 60s',
    }),
    toSubagent('s5', 'Trade flows', {
      ...ended(0.8, 2.6, { findings: 2, toolCalls: 6, usage: usage(12_000, 0.12, 6) }),
      status: 'cancelled',
      reason: 'operator',
    }),
    toSubagent('s6', 'List permits granted to gigafactories since 2025-01, with the authority that granted each', {
      status: 'awaiting-approval',
      startedAt: at(1),
      findings: 2,
      toolCalls: 22,
      usage: usage(61_000, 0.31, 22),
      lastCall: call('notion_create_page', '{"parent":"Research","title":"Permits"}', 72),
    }),
    toSubagent('s7', 'Costs per tonne', {
      startedAt: at(3.6),
      findings: 3,
      toolCalls: 18,
      lastCall: call('web_fetch', 'https://example.org/costs', 12),
    }),
    toSubagent('s8', 'Black mass', {
      status: 'retrying',
      live: 'retry 2/3 in 8s',
      startedAt: at(4.1),
      findings: 1,
      toolCalls: 11,
      usage: usage(29_000, 0.19, 11),
    }),
    toSubagent(
      's9',
      'Recyclate prices',
      ended(4.3, 10.6, { findings: 5, toolCalls: 20, usage: usage(47_000, 0.3, 20) }),
    ),
    toSubagent('s10', 'Announced plants', {
      status: 'queued',
      usage: usage(0),
      toolCalls: 0,
      turns: 0,
      limitTokens: 0,
    }),
  ];
  const description = toDescription('run_01JQ7M3K9D', 'EU battery recycling capacity 2026', start, {
    tree,
    tags: ['energy'],
    lastEventAt: isoAt(nowMs - 4_000),
    status: 'awaiting-approval',
    origin: { kind: 'retry', runId: 'run_01JQ5F8A2B' },
    earlier: usage(88_000, 0.6),
    approvals: [
      {
        id: 'ap_1',
        subagentId: 's6',
        tool: 'notion_create_page',
        input: '{"parent":"Research","title":"Permits"}',
        requestedAt: isoAt(nowMs - 72_000),
        expiresAt: isoAt(nowMs + 58 * minute),
      },
    ],
  });
  return {
    description,
    result: null,
    past: [...planned(tree, start), ...callsOf('s6', start), ...callsOf('s7', start)],
  };
}

function planned(tree: readonly SubagentView[], start: number): FixtureEvent[] {
  const own = tree.filter(({ parentId }) => parentId === null);
  return [
    { type: 'run-status', status: 'planning', at: isoAt(start + 1_000) },
    { type: 'plan-approved', subtasks: own.map(({ id, goal }) => ({ id, goal })), at: isoAt(start + 40_000) },
    { type: 'run-status', status: 'running', at: isoAt(start + 40_000) },
    ...own.map(
      ({ id, startedAt }) =>
        ({
          type: 'subagent-status',
          subagentId: id,
          status: 'running',
          attempt: 1,
          at: startedAt ?? isoAt(start + 41_000),
        }) as const,
    ),
  ];
}

function callsOf(subagentId: string, start: number): FixtureEvent[] {
  const at = (second: number) => isoAt(start + minute + second * 1_000);
  const calls = [
    ['t1c1', 'web_search', 'gigafactory permit 2025', 1_200, true, '8 results'],
    ['t1c2', 'web_search', 'battery plant permit authority', 900, true, '6 results'],
    ['t2c1', 'web_fetch', 'https://example.org/permits', 30_000, false, 'timed out after 30s'],
    ['t2c2', 'web_fetch', 'https://example.net/filing', 2_400, true, 'Filing of the operator, 12 pages'],
  ] as const;
  return calls.flatMap(([toolCallId, tool, input, durationMs, ok, text], index) => [
    { type: 'tool-call-started', subagentId, toolCallId, tool, input, at: at(index * 40) } as const,
    {
      type: 'tool-call-finished',
      subagentId,
      toolCallId,
      tool,
      ok,
      durationMs,
      ...(ok ? { output: text } : { error: text }),
      at: at(index * 40 + durationMs / 1_000),
    } as const,
    ...(ok && tool === 'web_fetch'
      ? [
          {
            type: 'source-found',
            subagentId,
            source: { id: `${subagentId}-${index}`, url: input, title: 'Filing of the operator' },
            at: at(index * 40 + 3),
          } as const,
          {
            type: 'finding-added',
            subagentId,
            findingId: `${subagentId}.1`,
            text: 'Two of the announced plants have no permit yet.',
            sourceIds: [`${subagentId}-${index}`],
            at: at(index * 40 + 4),
          } as const,
        ]
      : []),
  ]);
}

const reportText = `# EU battery recycling capacity 2026

Installed capacity reached 350 kt a year by mid-2026 [1][2]. Two announced plants lack permits [3] (unverified).

## Capacity

- Germany holds **41%** of it [1].
- Poland doubled within a year [2], which no source explains ~~[s9.9]~~ (no such source).

## Operators

The largest operator files with the [authority](https://example.org/authority) each quarter [2].

> Capacity counts input, not output.

## Gaps

- s4 Policy: failed (rate-limit)
- s5 Trade flows: cancelled (operator)
`;
const sources = [
  { id: 'd1', url: 'https://example.org/capacity', title: 'Capacity 2026', by: 's1' },
  { id: 'd2', url: 'https://example.net/filing', title: 'Filing of the operator', by: 's2.1' },
  { id: 'd3', url: 'docs/news.md', title: 'News of May', by: 's6' },
  { id: 'd4', url: 'https://example.com/other', title: 'Read and not cited', by: 's7' },
];
const citations = [
  { marker: '[1]', sourceId: 'd1', quote: 'installed capacity of 350 kt per year', verified: true },
  { marker: '[2]', sourceId: 'd2', quote: 'the Polish site was doubled in 2025', verified: true },
  { marker: '[3]', sourceId: 'd3', quote: 'two plants have no permit', verified: false },
];

function ended(nowMs: number, agoMinutes: number, tookMinutes: number) {
  const start = nowMs - agoMinutes * minute;
  return {
    start,
    closedAt: isoAt(start + tookMinutes * minute),
    at: (part: number) => isoAt(start + part * tookMinutes * minute),
  };
}

function partialRun(nowMs: number): FixtureRun {
  const { start, closedAt, at } = ended(nowMs, 180, 9);
  const tree = [
    toSubagent('s1', 'Capacity by country', { status: 'done', startedAt: at(0.1), closedAt: at(0.5), findings: 6 }),
    toSubagent('s2', 'Operators', {
      status: 'reused',
      reusedFrom: 'run_01JQ5F8A2B',
      startedAt: at(0.1),
      closedAt: at(0.11),
      findings: 8,
      usage: usage(0),
    }),
    toSubagent('s4', 'Policy', {
      status: 'failed',
      reason: 'rate-limit',
      startedAt: at(0.1),
      closedAt: at(0.4),
      message: 'the provider answered 429',
    }),
    toSubagent('s5', 'Trade flows', { status: 'cancelled', reason: 'operator', startedAt: at(0.1), closedAt: at(0.3) }),
  ];
  const description = toDescription(
    'run_01JQ6PARTL',
    'EU battery recycling: who is permitted, who is only announced?',
    start,
    {
      status: 'partial',
      closedAt,
      tree,
      lastEventAt: closedAt,
      origin: { kind: 'retry', runId: 'run_01JQ5F8A2B' },
      successors: [{ kind: 'rerun', runId: 'run_01JQ7M3K9D', from: 's4', status: 'running' }],
    },
  );
  const gaps = [
    { subagentId: 's4', goal: 'Policy', status: 'failed', reason: 'rate-limit' },
    { subagentId: 's5', goal: 'Trade flows', status: 'cancelled', reason: 'operator' },
  ] as const;
  return {
    description,
    result: toResult(description, 'partial', { report: reportText, citations, sources, gaps: [...gaps] }),
    past: [...planned(tree, start), ...callsOf('s1', start)],
  };
}

function completedRun(nowMs: number): FixtureRun {
  const { start, closedAt, at } = ended(nowMs, 300, 6);
  const tree = ['Capacity by country', 'Operators', 'Costs'].map((goal, index) =>
    toSubagent(`s${index + 1}`, goal, {
      status: 'done',
      startedAt: at(0.1),
      closedAt: at(0.4 + index * 0.15),
      findings: 4,
    }),
  );
  const description = toDescription('run_01JQ6DONE00', 'How does Tributary cancel a fan-out?', start, {
    status: 'completed',
    closedAt,
    tree,
    lastEventAt: closedAt,
    tags: ['docs'],
  });
  const report = reportText.split('\n## Gaps')[0]!;
  return {
    description,
    result: toResult(description, 'completed', { report, citations, sources }),
    past: planned(tree, start),
  };
}

function cancelledRun(nowMs: number): FixtureRun {
  const { start, closedAt, at } = ended(nowMs, 400, 3);
  const tree = [1, 2, 3, 4].map((number) =>
    toSubagent(`s${number}`, `Part ${number}`, {
      status: 'cancelled',
      reason: 'operator',
      startedAt: at(0.1),
      closedAt: at(0.9),
    }),
  );
  const description = toDescription('run_01JQ6CANCEL', 'Grid inverter recalls in 2025', start, {
    status: 'cancelled',
    closedAt,
    tree,
    lastEventAt: closedAt,
    cancelRequestedAt: at(0.85),
    cancelReason: 'asked twice',
    cancel: {
      requestedAt: at(0.85),
      acknowledgedAt: at(0.86),
      lastSocketClosedAt: at(0.87),
      openSockets: 0,
      tokensAfter: 1_840,
      estimated: true,
      subagents: 4,
      stopped: 4,
      stoppedAt: closedAt,
      mayStillRun: [],
    },
  });
  return { description, result: toResult(description, 'cancelled'), past: planned(tree, start) };
}

function failedRun(nowMs: number): FixtureRun {
  const { start, closedAt, at } = ended(nowMs, 1_500, 2);
  const tree = [1, 2].map((number) =>
    toSubagent(`s${number}`, `Part ${number}`, {
      status: 'failed',
      reason: 'provider',
      startedAt: at(0.1),
      closedAt: at(0.7),
      message: 'the model answered 500',
    }),
  );
  const failure = { code: 'JOIN_UNMET', message: 'join partial: 0 of 2 subagents succeeded; at least 1 must' };
  const description = toDescription('run_01JQ4FAILED', 'Nickel price drivers', start, {
    status: 'failed',
    closedAt,
    tree,
    failure,
    lastEventAt: closedAt,
  });
  return { description, result: toResult(description, 'failed', { failure }), past: planned(tree, start) };
}

function cancellingRun(nowMs: number): FixtureRun {
  const start = nowMs - 4 * minute;
  const tree = Array.from({ length: 10 }, (_, index) =>
    toSubagent(`s${index + 1}`, `Market ${index + 1}`, {
      status: index < 8 ? 'cancelled' : 'cancelling',
      startedAt: isoAt(start + 30_000),
      ...(index < 8 && { closedAt: isoAt(nowMs - 40_000), reason: 'operator' as const }),
    }),
  );
  const description = toDescription('run_01JQ7CANCLG', 'Heat pump markets by country', start, {
    status: 'cancelling',
    tree,
    cancelRequestedAt: isoAt(nowMs - 42_000),
    lastEventAt: isoAt(nowMs - 38_000),
  });
  return { description, result: null, past: planned(tree, start) };
}

function pausedRun(nowMs: number): FixtureRun {
  const start = nowMs - 60 * minute;
  const tree = Array.from({ length: 8 }, (_, index) =>
    toSubagent(`s${index + 1}`, `Patent class ${index + 1}`, {
      status: index < 6 ? 'done' : 'paused-budget',
      startedAt: isoAt(start + minute),
      findings: 3,
      ...(index < 6 && { closedAt: isoAt(start + 20 * minute) }),
    }),
  );
  const description = toDescription('run_01JQ7PAUSED', 'Solid-state electrolyte patents', start, {
    status: 'paused-budget',
    tree,
    lastEventAt: isoAt(nowMs - 2 * minute),
    budget: {
      tokens: meter(990_000, 1_000_000),
      toolCalls: meter(120, 200),
      wallClockMs: meter(0, 7_200_000),
      usd: meter(4, 4),
    },
  });
  return { description, result: null, past: planned(tree, start) };
}

function planRun(nowMs: number): FixtureRun {
  const start = nowMs - 5 * minute;
  const goals = ['Capacity by country', 'Operators and filings', 'Permits granted since 2025-01', 'Costs per tonne'];
  const tree = goals.map((goal, index) =>
    toSubagent(`s${index + 1}`, goal, { status: 'queued', usage: usage(0), toolCalls: 0, turns: 0, limitTokens: 0 }),
  );
  const description = toDescription('run_01JQ7PLAN00', 'Permits for gigafactories', start, {
    status: 'awaiting-plan',
    tree,
    lastEventAt: isoAt(nowMs - 4 * minute),
    budget: {
      tokens: meter(9_000, 1_000_000),
      toolCalls: meter(0, 200),
      wallClockMs: meter(0, 1_200_000),
      usd: meter(0.04, 5),
    },
    spentTokens: 9_000,
  });
  return { description, result: null, past: [] };
}

function bigRun(nowMs: number): FixtureRun {
  const start = nowMs - 20 * minute;
  const kinds = [
    'running',
    'done',
    'running',
    'failed',
    'queued',
    'retrying',
    'running',
    'done',
    'awaiting-approval',
    'cancelled',
  ] as const;
  const tree = Array.from({ length: 500 }, (_, index) => {
    const status = kinds[index % kinds.length]!;
    const from = start + (index % 120) * 5_000;
    const hasEnded = status === 'done' || status === 'failed' || status === 'cancelled';
    return toSubagent(`s${index + 1}`, `Company ${index + 1} of the register`, {
      status,
      toolCalls: index % 23,
      findings: index % 7,
      ...(status !== 'queued' && { startedAt: isoAt(from) }),
      ...(hasEnded && { closedAt: isoAt(from + (60 + (index % 300)) * 1_000) }),
    });
  });
  const description = toDescription('run_01JQ7BIG500', 'Five hundred companies of the register', start, {
    tree,
    lastEventAt: isoAt(nowMs - 1_000),
    budget: {
      tokens: meter(4_100_000, 20_000_000, 900_000),
      toolCalls: meter(5_012, 20_000),
      wallClockMs: meter(0, 7_200_000),
    },
  });
  return { description, result: null, past: planned(tree, start) };
}

function hostileRun(nowMs: number): FixtureRun {
  const { start, closedAt, at } = ended(nowMs, 20, 5);
  const tree = [
    toSubagent('s1', hostile, {
      status: 'failed',
      reason: 'tool',
      message: hostile,
      again: hostile,
      startedAt: at(0.1),
      closedAt: at(0.8),
      lastCall: { callId: 't1c1', tool: hostile, input: hostile, startedAt: at(0.2), finishedAt: at(0.3), ok: false },
    }),
  ];
  const description = toDescription('run_hostile', hostile, start, {
    status: 'partial',
    closedAt,
    tree,
    lastEventAt: closedAt,
    tags: [hostile],
    failure: { code: 'TOOL_FAILED', message: hostile },
    cancelReason: hostile,
    cancelRequestedAt: at(0.5),
    finalizeRequested: { at: at(0.4), by: hostile, reason: hostile },
    temporal: { workflowId: 'x', firstRunId: 'x', url: 'javascript:window.hacked=1' },
  });
  const waiting = {
    id: 'ap_1',
    subagentId: 's1',
    tool: hostile,
    input: hostile,
    requestedAt: at(0.5),
    expiresAt: null,
  };
  return {
    description: { ...description, approvals: [waiting] },
    result: toResult(description, 'partial', {
      report: `# ${hostile}\n\n${hostile} [1][9]\n\n<iframe src="https://evil.example"></iframe>\n\n[ok](https://example.org) [rel](/api/runs) [data](data:text/html,x)\n`,
      citations: [{ marker: '[1]', sourceId: 'd1', quote: hostile, verified: false }],
      sources: [{ id: 'd1', url: 'javascript:window.hacked=1', title: hostile, by: 's1' }],
      gaps: [{ subagentId: 's1', goal: hostile, status: 'failed', reason: 'tool' }],
    }),
    past: [
      { type: 'tool-call-started', subagentId: 's1', toolCallId: 't1c1', tool: hostile, input: hostile, at: at(0.2) },
      {
        type: 'tool-call-finished',
        subagentId: 's1',
        toolCallId: 't1c1',
        tool: hostile,
        ok: false,
        durationMs: 9,
        error: hostile,
        at: at(0.3),
      },
      { type: 'finding-added', subagentId: 's1', findingId: 's1.1', text: hostile, sourceIds: ['d1'], at: at(0.3) },
      {
        type: 'source-found',
        subagentId: 's1',
        source: { id: 'd1', url: 'javascript:window.hacked=1', title: hostile },
        at: at(0.3),
      },
    ],
  };
}
