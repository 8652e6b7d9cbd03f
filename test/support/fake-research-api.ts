/** A research API in memory: runs are scripted by the test, events come when the test emits them. */
import { estimateRun } from '../../src/client/estimate-run.ts';
import type {
  CancelOptions,
  CancelReceipt,
  ResearchApi,
  RunFilter,
  RunHandle,
  StartInput,
} from '../../src/client/research-api.ts';
import type { Usage } from '../../src/contract/budget.ts';
import { TributaryError } from '../../src/contract/failure.ts';
import { exitCodeOfStatus } from '../../src/contract/failure.ts';
import type { RunResult, TerminalRunStatus } from '../../src/contract/result.ts';
import type { RunDescription, RunEvent, SubagentView } from '../../src/contract/run-view.ts';
import type { PastRun } from '../../src/domain/estimate.ts';
import { renderExport } from '../../src/export/render-export.ts';

export const usage = (tokens = 0): Usage => ({
  inputTokens: tokens,
  outputTokens: 0,
  tokens,
  usd: 0,
  toolCalls: 0,
  wallClockMs: 14_000,
  estimated: false,
});
const meter = (spent: number, limit: number) => ({ spent, reserved: 0, remaining: limit - spent, limit });
export const budget = (tokens = 0) => ({
  tokens: meter(tokens, 1_000_000),
  toolCalls: meter(0, 200),
  wallClockMs: meter(0, 1_200_000),
});

export function subagent(id: string, overrides: Partial<SubagentView> = {}): SubagentView {
  return {
    id,
    parentId: null,
    goal: `Goal of ${id}`,
    status: 'running',
    usage: usage(1_200),
    limitTokens: 150_000,
    turns: 1,
    toolCalls: 3,
    findings: 0,
    ...overrides,
  };
}

export function description(runId: string, overrides: Partial<RunDescription> = {}): RunDescription {
  return {
    runId,
    title: 'Recycling capacity',
    status: 'running',
    startedAt: '2026-11-30T12:00:00.000Z',
    spentTokens: 0,
    limitTokens: 1_000_000,
    spentUsd: 0,
    limitUsd: null,
    estimated: false,
    subagents: {},
    tags: [],
    cursor: 'c0',
    request: null,
    budget: budget(),
    usage: usage(),
    toolCallsPerMessage: null,
    approvals: [],
    drafts: [],
    tree: [],
    notes: [],
    lastEventAt: '2026-11-30T12:00:00.000Z',
    temporal: { workflowId: runId, firstRunId: 'first' },
    ...overrides,
  };
}

export function result(runId: string, status: TerminalRunStatus, overrides: Partial<RunResult> = {}): RunResult {
  const hasReport = status === 'completed' || status === 'partial';
  return {
    type: 'result',
    runId,
    status,
    exitCode: exitCodeOfStatus[status],
    question: 'q',
    report: hasReport ? '# Report\n\nFound.[1]\n' : null,
    citations: hasReport ? [{ marker: '[1]', sourceId: 'd1', quote: 'found', verified: true }] : [],
    sources: hasReport ? [{ id: 'd1', url: 'd1.md', title: 'One', by: 's1' }] : [],
    gaps: status === 'partial' ? [{ subagentId: 's2', goal: 'Policy', status: 'failed', reason: 'rate-limit' }] : [],
    notes: [],
    usage: usage(41_203),
    budget: budget(41_203),
    toolCallsPerMessage: 1,
    subagents: [],
    ...(status === 'failed' && { failure: { code: 'JOIN_UNMET', message: 'join all: s1 failed' } }),
    ...overrides,
  };
}

/** An event without the fields that the fake fills in. */
export type EmittedEvent = RunEvent extends infer Event
  ? Event extends RunEvent
    ? Omit<Event, 'at' | 'cursor' | 'runId'> & { at?: string }
    : never
  : never;

export type FakeRun = {
  readonly runId: string;
  description: RunDescription;
  /** What it came from; `null` for a run that the test placed. */
  readonly input: StartInput | null;
  emit(event: EmittedEvent): void;
  end(status: TerminalRunStatus, overrides?: Partial<RunResult>): void;
  /** Watchers' next event is this error. */
  breakWatch(error: Error): void;
  readonly cancels: { readonly subagentId: string | null; readonly options: CancelOptions | undefined }[];
  /** Everything else that people did to it, in order. */
  readonly steers: { readonly action: string; readonly input: unknown; readonly requestId: string | undefined }[];
  /** What a cancel does beside being recorded. */
  onCancel(action: () => void): void;
  /** Resolves once somebody watches. */
  readonly watched: Promise<void>;
};

export type FakeResearch = {
  readonly api: ResearchApi;
  readonly runs: FakeRun[];
  place(description: RunDescription): FakeRun;
  hasWorker: boolean;
  /** Called with every run that `start` makes, before it returns. */
  onStart: (run: FakeRun) => void;
  readonly filters: (RunFilter | undefined)[];
  /** What estimates are made from. */
  pastRuns: readonly PastRun[];
  /** Models whose past runs were asked for. */
  readonly estimated: string[];
};

export function createFakeResearch(): FakeResearch {
  const runs: FakeRun[] = [];
  const fake: FakeResearch = {
    runs,
    hasWorker: true,
    onStart: () => undefined,
    filters: [],
    pastRuns: [],
    estimated: [],
    place(placed) {
      const run = createRun(placed, null);
      runs.push(run.fake);
      handles.set(placed.runId, run.handle);
      return run.fake;
    },
    api: {
      async start(input) {
        const runId = input.runId ?? `run_${runs.length + 1}`;
        const run = createRun(description(runId, { title: input.title ?? input.question }), input);
        runs.push(run.fake);
        handles.set(runId, run.handle);
        fake.onStart(run.fake);
        return run.handle;
      },
      async execute(input, options) {
        return (await fake.api.start(input, options)).result(options);
      },
      async estimate(input, options) {
        const readPastRuns = async (model: string) => {
          fake.estimated.push(model);
          return fake.pastRuns;
        };
        return estimateRun({ ratesOf: () => ({ input: 0, output: 0 }), readPastRuns }, input, options);
      },
      getHandle: (runId) => handles.get(runId)!,
      async attach(runId) {
        const found = runId === '@last' ? runs.at(-1) : runs.find((run) => run.runId.startsWith(runId));
        if (!found) throw new TributaryError('RUN_NOT_FOUND', `no run ${runId}`);
        return handles.get(found.runId)!;
      },
      async *list(filter) {
        fake.filters.push(filter);
        for (const run of runs.slice(0, filter?.limit)) yield run.description;
      },
      async *approvals({ runId } = {}) {
        for (const run of runs.filter((each) => runId === undefined || each.runId === runId)) {
          for (const approval of run.description.approvals)
            if (!approval.outcome) yield { ...approval, runId: run.runId };
        }
      },
      hasWorker: async () => fake.hasWorker,
    },
  };
  const handles = new Map<string, RunHandle>();
  return fake;
}

/** What the fake's `delete` says. */
const deleteReceipt = {
  ...{ histories: 21, record: true, blobs: 143, bytes: 2_100_000, blobsKept: 12 },
  users: ['run_Y'],
};

function createRun(first: RunDescription, input: StartInput | null): { fake: FakeRun; handle: RunHandle } {
  const { runId } = first;
  const queue: (RunEvent | Error)[] = [];
  let wake: () => void = () => undefined;
  let cancelAction: () => void = () => undefined;
  let ended: RunResult | null = null;
  let setWatched: () => void = () => undefined;
  const watched = new Promise<void>((resolve) => (setWatched = resolve));
  const push = (event: RunEvent | Error) => {
    queue.push(event);
    wake();
  };
  const fake: FakeRun = {
    runId,
    description: first,
    input,
    emit: (event) => push({ at: new Date().toISOString(), ...event, runId, cursor: `c${queue.length + 1}` }),
    end(status, overrides) {
      ended = result(runId, status, overrides);
      fake.description = { ...fake.description, status, closedAt: new Date().toISOString() };
      fake.emit({ type: 'result', status, exitCode: ended.exitCode, result: ended });
    },
    breakWatch: push,
    cancels: [],
    steers: [],
    onCancel: (action) => void (cancelAction = action),
    watched,
  };
  const cancel = async (subagentId: string | null, options?: CancelOptions): Promise<CancelReceipt> => {
    if (ended) throw new TributaryError('RUN_ENDED', `${runId} has already ended: ${ended.status}`);
    fake.cancels.push({ subagentId, options });
    cancelAction();
    const affected = subagentId === null ? fake.description.tree.map((view) => view.id) : [subagentId];
    if (!options?.wait) return { status: 'cancelling', affected };
    const proof = fake.description.cancel;
    return { status: 'cancelled', affected, ...(proof && { cancel: proof }) };
  };
  const steer = (action: string, input: unknown, options: { readonly requestId?: string } | undefined) => {
    if (ended) throw new TributaryError('RUN_ENDED', `${runId} has ended already: ${ended.status}`);
    fake.steers.push({ action, input, requestId: options?.requestId });
  };
  const handle: RunHandle = {
    runId,
    describe: async () => fake.description,
    async *watch({ signal } = {}) {
      setWatched();
      yield { type: 'snapshot', run: fake.description, runId, cursor: 'c0', at: fake.description.lastEventAt };
      for (let index = 0; ;) {
        const next = queue[index];
        if (next instanceof Error) throw next;
        if (next) {
          index += 1;
          yield next;
          if (next.type === 'result') return;
          continue;
        }
        await new Promise<void>((resolve) => {
          wake = resolve;
          signal?.addEventListener('abort', () => resolve(), { once: true });
        });
        signal?.throwIfAborted();
      }
    },
    async result() {
      if (!ended) throw new TributaryError('WAIT_TIMEOUT', `${runId} has not ended`);
      return ended;
    },
    async *histories() {
      yield { workflowId: runId, histories: [{ events: [] }], gone: 0 };
    },
    async export({ format }) {
      const { description: run } = fake;
      const events = queue.filter((each) => !(each instanceof Error)) as RunEvent[];
      const parts = { sources: ended?.sources ?? [], findings: [], budget: run.budget, events };
      return renderExport({ type: 'export', runId, run, result: ended, ...parts }, format);
    },
    cancel: (options) => cancel(null, options),
    cancelSubagent: cancel,
    async finalize(options) {
      steer('finalize', options?.reason, options);
    },
    async terminate(reason) {
      steer('terminate', reason, undefined);
      return { affected: fake.description.tree.map((view) => view.id) };
    },
    async addBudget(add, options) {
      steer('addBudget', add, options);
      return fake.description.budget;
    },
    async retrySubagent(id, options) {
      steer('retrySubagent', { id, budget: options?.budget }, options);
    },
    async approvePlan(options) {
      steer('approvePlan', options?.edits, options);
    },
    async revisePlan(feedback, options) {
      steer('revisePlan', feedback, options);
    },
    async approve(id, options) {
      steer('approve', { id, args: options?.args, remember: options?.remember }, options);
      return { id, decision: 'approved', by: 'me', at: '2026-11-30T12:10:00.000Z' };
    },
    async deny(id, options) {
      steer('deny', { id, reason: options?.reason }, options);
      return { id, decision: 'denied', by: 'me', at: '2026-11-30T12:10:00.000Z' };
    },
    async retry(options) {
      steer('retry', options, options);
      return handle;
    },
    async delete({ dryRun = false } = {}) {
      if (!ended) throw new TributaryError('RUN_OPEN', `the run ${runId} is still going on`);
      if (!dryRun) fake.steers.push({ action: 'delete', input: undefined, requestId: undefined });
      return { ...deleteReceipt, runId, dryRun };
    },
    async rerun(options) {
      steer('rerun', options, options);
      return handle;
    },
  };
  return { fake, handle };
}
