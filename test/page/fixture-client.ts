/** The client that the page uses, over runs in memory. What people do to a run happens here as it does in a real one. */
import type { PageClient, PageRunHandle } from '../../src/page/server/client-context.tsx';
import type { RunFilter } from '../../src/client/research-api.ts';
import { TributaryError } from '../../src/contract/failure.ts';
import type { TerminalRunStatus } from '../../src/contract/result.ts';
import { startCursor, type RunDescription, type RunEvent } from '../../src/contract/run-view.ts';
import { foldRunEvent, hasEnded, hasSubagentEnded } from '../../src/domain/projection/fold-run-event.ts';
import { estimateRun } from '../../src/domain/estimate.ts';
import { researchRequestSchema } from '../../src/contract/request.ts';
import { toDescription, toResult, toSubagent, usage, type FixtureEvent, type FixtureRun } from './fixture-builders.ts';

export type Fixture = {
  readonly client: PageClient;
  /** What was asked for, in order. */
  readonly calls: { readonly action: string; readonly runId?: string; readonly input?: unknown }[];
  emit(runId: string, event: FixtureEvent): void;
  end(runId: string, status: TerminalRunStatus): void;
};

/** Between two subagents that stop. */
const stopMs = 120;

export function createFixtureClient(runs: Map<string, FixtureRun>): Fixture {
  const calls: Fixture['calls'] = [];
  const told = new Map<string, RunEvent[]>();
  const listeners = new Set<() => void>();
  const started = new Map<string, string>();

  const find = (runId: string): FixtureRun => {
    const run = runs.get(runId);
    if (!run) throw new TributaryError('RUN_NOT_FOUND', `there is no run ${runId}`);
    return run;
  };
  const emit = (runId: string, event: FixtureEvent) => {
    const run = find(runId);
    const list = told.get(runId) ?? [];
    const whole = { ...event, runId, cursor: `c${list.length + 1}` } as RunEvent;
    told.set(runId, [...list, whole]);
    run.description = foldRunEvent(run.description, whole)!;
    for (const listener of [...listeners]) listener();
  };
  const now = () => new Date().toISOString();
  const end = (runId: string, status: TerminalRunStatus) => {
    const run = find(runId);
    run.result = toResult(run.description, status);
    emit(runId, { type: 'result', status, exitCode: 0, result: run.result, at: now() });
  };
  const record = (action: string, runId?: string, input?: unknown) => calls.push({ action, runId, input });
  const requireOpen = (runId: string) => {
    if (hasEnded(find(runId).description.status)) throw new TributaryError('RUN_ENDED', `the run ${runId} has ended`);
  };
  const stopAll = (runId: string, status: TerminalRunStatus) => {
    const open = find(runId).description.tree.filter((view) => !hasSubagentEnded(view.status));
    open.forEach(({ id }, index) =>
      setTimeout(
        () => {
          emit(runId, {
            type: 'subagent-status',
            subagentId: id,
            status: 'cancelled',
            attempt: 1,
            reason: 'operator',
            at: now(),
          });
          if (index === open.length - 1) end(runId, status);
        },
        stopMs * (index + 1),
      ),
    );
    if (open.length === 0) end(runId, status);
    return open.map(({ id }) => id);
  };

  function getHandle(runId: string): PageRunHandle {
    const handle: Partial<PageRunHandle> = {
      runId,
      describe: async () => find(runId).description,
      async *watch(options: { after?: string; signal?: AbortSignal } = {}) {
        const run = find(runId);
        const past: RunEvent[] =
          options.after === startCursor
            ? [
                ...run.past.map((event, index) => ({ ...event, runId, cursor: `p${index}` })),
                ...(told.get(runId) ?? []),
              ]
            : [{ type: 'snapshot', run: run.description, cursor: 'c0', at: run.description.lastEventAt, runId }];
        let at = (told.get(runId) ?? []).length;
        yield* past;
        if (run.result) {
          yield {
            type: 'result',
            status: run.result.status,
            exitCode: 0,
            result: run.result,
            cursor: 'end',
            at: run.description.closedAt ?? now(),
            runId,
          };
          return;
        }
        for (;;) {
          const list = told.get(runId) ?? [];
          while (at < list.length) {
            const event = list[at]!;
            at += 1;
            yield event;
            if (event.type === 'result') return;
          }
          if (options.signal?.aborted) return;
          await new Promise<void>((resolve) => {
            const done = () => (listeners.delete(done), resolve());
            listeners.add(done);
            options.signal?.addEventListener('abort', done, { once: true });
          });
          if (options.signal?.aborted) return;
        }
      },
      result: async () => find(runId).result!,
      async cancel(options = {}) {
        record('cancel', runId, options);
        requireOpen(runId);
        emit(runId, { type: 'run-status', status: 'cancelling', at: now() });
        return { status: 'cancelling', affected: stopAll(runId, 'cancelled') };
      },
      async cancelSubagent(subagentId: string, options = {}) {
        record('cancelSubagent', runId, { subagentId, ...options });
        requireOpen(runId);
        emit(runId, { type: 'subagent-status', subagentId, status: 'cancelling', attempt: 1, at: now() });
        setTimeout(
          () =>
            emit(runId, {
              type: 'subagent-status',
              subagentId,
              status: 'cancelled',
              attempt: 1,
              reason: 'operator',
              at: now(),
            }),
          stopMs,
        );
        return { status: 'cancelling', affected: [subagentId] };
      },
      async finalize(options = {}) {
        record('finalize', runId, options);
        emit(runId, { type: 'finalize-requested', by: 'ada', at: now() });
        emit(runId, { type: 'run-status', status: 'synthesizing', at: now() });
      },
      async terminate(reason: string) {
        record('terminate', runId, { reason });
        end(runId, 'terminated');
        return { affected: [] };
      },
      async addBudget(add, options = {}) {
        record('addBudget', runId, { add, ...options });
        const { budget } = find(runId).description;
        const tokens = { ...budget.tokens, limit: budget.tokens.limit + (add.tokens ?? 0) };
        const usd = budget.usd && { ...budget.usd, limit: budget.usd.limit + (add.usd ?? 0) };
        const next = { ...budget, tokens, ...(usd && { usd }) };
        emit(runId, { type: 'budget-raised', budget: next, by: 'ada', at: now() });
        for (const { id, status } of find(runId).description.tree) {
          if (status === 'paused-budget')
            emit(runId, { type: 'subagent-status', subagentId: id, status: 'running', attempt: 1, at: now() });
        }
        emit(runId, { type: 'run-status', status: 'running', at: now() });
        return next;
      },
      async approvePlan(options = {}) {
        record('approvePlan', runId, options);
        const subtasks = find(runId).description.tree.map(({ id, goal }) => ({ id, goal }));
        emit(runId, { type: 'plan-approved', subtasks, at: now() });
        begin(runId);
      },
      async revisePlan(feedback: string) {
        record('revisePlan', runId, { feedback });
        emit(runId, { type: 'plan-proposed', subtasks: [{ id: 's1', goal: `As asked: ${feedback}` }], at: now() });
      },
      async approve(id: string, options = {}) {
        return decide(runId, id, 'approved', options);
      },
      async deny(id: string, options = {}) {
        return decide(runId, id, 'denied', options);
      },
      async retry(options = {}) {
        record('retry', runId, options);
        return again(runId, 'retry');
      },
      async rerun(options) {
        record('rerun', runId, options);
        return again(runId, 'rerun');
      },
      report: async (format: string) => {
        record('report', runId, { format });
        return find(runId).result?.report ?? '';
      },
    };
    return handle as PageRunHandle;
  }

  async function decide(runId: string, id: string, decision: 'approved' | 'denied', options: object) {
    record(decision, runId, { id, ...options });
    const approval = find(runId).description.approvals.find((each) => each.id === id);
    if (!approval) throw new TributaryError('APPROVAL_NOT_FOUND', `there is no ${id}`);
    if (approval.outcome) {
      const { decision: was, by } = approval.outcome;
      throw new TributaryError('ALREADY_DECIDED', `${id} was ${was} by ${by} already`);
    }
    const outcome = { id, decision, by: 'ada', at: now() };
    emit(runId, { type: 'approval-resolved', outcome, subagentId: approval.subagentId, at: now() });
    emit(runId, { type: 'subagent-status', subagentId: approval.subagentId, status: 'running', attempt: 1, at: now() });
    emit(runId, { type: 'run-status', status: 'running', at: now() });
    return outcome;
  }

  function begin(runId: string) {
    emit(runId, { type: 'run-status', status: 'running', at: now() });
    for (const { id } of find(runId).description.tree) {
      emit(runId, { type: 'subagent-status', subagentId: id, status: 'running', attempt: 1, at: now() });
      emit(runId, {
        type: 'tool-call-started',
        subagentId: id,
        toolCallId: 't1c1',
        tool: 'web_search',
        input: 'a query',
        at: now(),
      });
    }
  }

  function again(runId: string, kind: 'retry' | 'rerun') {
    const before = find(runId).description;
    const id = `run_again${runs.size}`;
    const tree = before.tree.map((view) =>
      view.status === 'done' || view.status === 'reused'
        ? { ...view, status: 'reused' as const, reusedFrom: runId }
        : toSubagent(view.id, view.goal, { status: 'queued', usage: usage(0) }),
    );
    const description = toDescription(id, before.title, Date.now(), {
      tree,
      status: 'running',
      origin: { kind, runId },
    });
    runs.set(id, { description, result: null, past: [] });
    return getHandle(id);
  }

  const matches = (run: RunDescription, { status, text, startedAfter }: RunFilter) =>
    (!status || status.includes(run.status)) &&
    (text === undefined || `${run.title} ${run.runId}`.toLowerCase().includes(text.toLowerCase())) &&
    (startedAfter === undefined || run.startedAt >= startedAfter);

  const client: Partial<PageClient> = {
    async start(input, options = {}) {
      record('start', undefined, { input, ...options });
      const known = options.requestId === undefined ? undefined : started.get(options.requestId);
      if (known) return getHandle(known);
      const id = `run_new${runs.size}`;
      if (options.requestId !== undefined) started.set(options.requestId, id);
      const isReviewed = input.plan === 'review';
      const tree = Array.from({ length: 6 }, (_, index) =>
        toSubagent(`s${index + 1}`, `Part ${index + 1} of the question`, {
          status: 'queued',
          usage: usage(0),
          toolCalls: 0,
        }),
      );
      const description = toDescription(id, input.question, Date.now(), {
        tree,
        status: isReviewed ? 'awaiting-plan' : 'running',
        lastEventAt: now(),
      });
      runs.set(id, { description, result: null, past: [] });
      if (!isReviewed) begin(id);
      return getHandle(id);
    },
    estimate: async (input) =>
      estimateRun(researchRequestSchema.parse({ runId: 'x', ...input, corpus: undefined }), {} as never, []),
    getHandle,
    attach: async (runId: string) => getHandle(find(runId).description.runId),
    async *list(filter: RunFilter = {}) {
      const all = [...runs.values()].map(({ description }) => description).filter((run) => matches(run, filter));
      yield* all.toSorted((a, b) => b.startedAt.localeCompare(a.startedAt)).slice(0, filter.limit ?? 50);
    },
    async *approvals() {
      for (const { description } of runs.values())
        for (const approval of description.approvals)
          if (!approval.outcome) yield { ...approval, runId: description.runId };
    },
    hasWorker: async () => true,
    count: async () => {
      const byStatus: Record<string, number> = {};
      for (const { description } of runs.values())
        byStatus[description.status] = (byStatus[description.status] ?? 0) + 1;
      return { total: runs.size, byStatus };
    },
    config: async () => ({
      version: '0.1.0',
      readOnly: false,
      corpora: ['docs', 'notes'],
      defaultModel: 'extractive',
      temporalUrl: 'http://127.0.0.1:8233',
    }),
    health: async () => ({ server: 'ok', namespace: 'tributary', taskQueue: 'tributary', hasWorker: true }),
  };
  return { client: client as PageClient, calls, emit, end };
}
