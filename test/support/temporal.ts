/** Runs research on the test server with activities of the test's own, and replays every history that it made. */
import { afterAll, afterEach, beforeAll } from '@jest/globals';
import { Client, Connection, type WorkflowHandleWithFirstExecutionRunId } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { createHash } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { createActivities } from '../../src/activities/create-activities.ts';
import type { ActivityDependencies } from '../../src/activities/dependencies.ts';
import { readLeftWork } from '../../src/client/read-left-work.ts';
import { readRunRecord } from '../../src/client/read-run-record.ts';
import { readStoppedUsage } from '../../src/client/read-stopped-usage.ts';
import type { ResearchRequestInput } from '../../src/contract/request.ts';
import type { RecordedResult } from '../../src/contract/result.ts';
import type { Model } from '../../src/models/model.ts';
import { priceUsage, ratesOf } from '../../src/models/price/price-catalogue.ts';
import { createMemoryBuckets } from '../../src/store/buckets/memory-buckets.ts';
import { createFolderStore } from '../../src/store/folder-store.ts';
import { fromTemporalFailure } from '../../src/temporal/failure-codec.ts';
import { createDelegateTool } from '../../src/tools/create-delegate-tool.ts';
import type { Tool } from '../../src/tools/tool.ts';
import { childrenOf, type History, requireCleanHistory, requireLedgerAddsUp } from './read-history.ts';

export type RunParts = {
  readonly model: Model | ((name: string) => Model);
  readonly tools?: readonly Tool[];
};
export type WorldOptions = Partial<RunParts> & {
  readonly dependencies?: Partial<ActivityDependencies>;
  /** Model calls get a queue of their own, as those of a provider have. */
  readonly hasModelQueue?: boolean;
};

export type TestWorld = {
  readonly client: Client;
  readonly taskQueue: string;
  readonly modelQueue: string;
  /** Starts a run; its id comes from the title. `parts` are this run's own model and tools. */
  start: (
    input: Omit<ResearchRequestInput, 'runId'>,
    parts?: RunParts,
    options?: { readonly workflowExecutionTimeout?: number },
  ) => Promise<TestRun>;
  history: (workflowId: string) => Promise<History>;
  /** A further worker with the same dependencies. */
  startWorker: () => Promise<{ stop(): Promise<void> }>;
  /** Ends the worker that the world began with, for tests that start it again. */
  stopFirstWorker: () => Promise<void>;
};

export type TestRun = {
  readonly runId: string;
  readonly handle: WorkflowHandleWithFirstExecutionRunId;
  /** The recorded result, also of a failed run. A cancelled run rejects. */
  result: () => Promise<RecordedResult>;
  history: () => Promise<History>;
  /** Histories of the run and of its subagents, by workflow id; of one that was started again the earlier ones as `…#1`. */
  histories: () => Promise<Map<string, History>>;
  /** Workflow ids of the run and its subagents. */
  family: () => Promise<string[]>;
};

const namespace = 'tributary';
const quiet = new DefaultLogger('ERROR', () => undefined);
let installed = false;

/** Jest loads each test file anew; the runtime is one per process. */
export function installTestRuntime(): void {
  if (installed) return;
  installed = true;
  try {
    Runtime.install({ logger: quiet, telemetryOptions: { logging: { forward: {}, filter: 'ERROR' } } });
  } catch {
    // an earlier test file of this process has installed it
  }
}

type OpenWorld = TestWorld & {
  /** Replays and checks every history since the last check. Runs that are still open are terminated first. */
  check: () => Promise<void>;
  close: () => Promise<void>;
};

async function openWorld(title: string, options: WorldOptions): Promise<OpenWorld> {
  installTestRuntime();
  const slug = `${title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 36)}-${createHash('sha256').update(`${title}${process.pid}${Date.now()}`).digest('hex').slice(0, 6)}`;
  const modelQueue = `${slug}-model`;
  const address = process.env.TRIBUTARY_TEST_ADDRESS!;
  const folder = process.env.TRIBUTARY_TEST_FOLDER!;
  const connection = await Connection.connect({ address });
  const native = await NativeConnection.connect({ address });
  const client = new Client({ connection, namespace });
  const partsOfRun = new Map<string, RunParts>();
  const activities = createActivities({
    store: createFolderStore(await mkdtemp(join(folder, 'store-'))),
    openModel: async ({ model: name }) => {
      const model = partsOfRun.get(name.slice('scripted:'.length))?.model ?? options.model;
      if (!model) throw new Error(`the test has no model for ${name}`);
      return typeof model === 'function' ? model(name) : model;
    },
    openToolbox: async ({ corpus, delegation }) => ({
      tools: [
        ...(partsOfRun.get(corpus?.slice(1) ?? '')?.tools ?? options.tools ?? []),
        ...(delegation ? [createDelegateTool(delegation.maxSubtasks)] : []),
      ],
      outline: () => [],
      notes: [],
    }),
    ratesOf,
    priceUsage,
    buckets: createMemoryBuckets(),
    trafficOf: () => ({ taskQueue: options.hasModelQueue ? modelQueue : null, limit: null }),
    readStoppedUsage: (runId, id) => readStoppedUsage(client, runId, id),
    readLeftWork: (runId, id, signal) => readLeftWork(client, runId, id, signal),
    readEndedRun: (run, signal) => readRunRecord({ client, identity: slug }, run, { signal, endsSubagents: true }),
    notices: { mayRun: async () => true, fetch },
    ...options.dependencies,
  });
  const workflowBundle = { codePath: join(folder, 'workflow-bundle.js') };
  const startWorker = async () => {
    const common = {
      connection: native,
      namespace,
      maxHeartbeatThrottleInterval: 200,
      defaultHeartbeatThrottleInterval: 200,
      shutdownForceTime: '10s',
    };
    const { planActivity, callModelActivity, synthesizeActivity } = activities;
    const modelActivities = { planActivity, callModelActivity, synthesizeActivity };
    const workers = [await Worker.create({ ...common, taskQueue: slug, workflowBundle, activities })];
    if (options.hasModelQueue)
      workers.push(await Worker.create({ ...common, taskQueue: modelQueue, activities: modelActivities }));
    const running = Promise.all(workers.map((worker) => worker.run()));
    return {
      stop: async () => {
        for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
        await running;
      },
    };
  };
  const first = await startWorker();
  const others: { stop(): Promise<void> }[] = [];
  const history = async (workflowId: string) => client.workflow.getHandle(workflowId).fetchHistory();
  let started = 0;
  let unchecked: { run: TestRun; recorded: () => RecordedResult | null }[] = [];

  return {
    client,
    taskQueue: slug,
    modelQueue,
    history,
    async start(input, parts, timeouts = {}) {
      const runId = `${slug}-${++started}`;
      if (parts) partsOfRun.set(runId, parts);
      const model = `scripted:${runId}`;
      const handle = await client.workflow.start('researchWorkflow', {
        workflowId: runId,
        taskQueue: slug,
        ...timeouts,
        args: [{ corpus: `/${runId}`, models: { planner: model, subagent: model, synthesis: model }, ...input, runId }],
      });
      let recorded: RecordedResult | null = null;
      const run: TestRun = {
        runId,
        handle,
        async result() {
          try {
            recorded = (await handle.result()) as RecordedResult;
          } catch (error) {
            const decoded = fromTemporalFailure((error as { cause?: unknown }).cause);
            if (decoded.kind !== 'failed' || !decoded.details[0]) throw error;
            recorded = decoded.details[0] as RecordedResult;
          }
          return recorded;
        },
        history: () => history(runId),
        async histories() {
          const ids = await run.family();
          const all = new Map(await Promise.all(ids.map(async (id) => [id, await history(id)] as const)));
          for (const [attempt, { workflowId, executionId }] of earlierAttempts([...all.values()])) {
            const earlier = client.workflow.getHandle(workflowId, executionId);
            all.set(`${workflowId}#${attempt}`, await earlier.fetchHistory());
          }
          return all;
        },
        async family() {
          const withThoseBelow = async (workflowId: string): Promise<string[]> => {
            const below = childrenOf(await history(workflowId)).map((child) => withThoseBelow(child.workflowId));
            return [workflowId, ...(await Promise.all(below)).flat()];
          };
          return withThoseBelow(runId);
        },
      };
      unchecked.push({ run, recorded: () => recorded });
      return run;
    },
    async startWorker() {
      const other = await startWorker();
      others.push(other);
      return other;
    },
    stopFirstWorker: () => first.stop(),
    async check() {
      const runs = unchecked;
      unchecked = [];
      const histories = new Map<string, History>();
      for (const { run, recorded } of runs) {
        await run.handle.terminate('the test has ended').catch(() => undefined); // fails where it has closed
        const ofRun = await run.histories();
        const result = recorded();
        if (result) requireLedgerAddsUp(result, ofRun.get(run.runId)!);
        for (const [workflowId, each] of ofRun) histories.set(workflowId, each);
      }
      for (const [workflowId, each] of histories) requireCleanHistory(workflowId, each);
      const toReplay = [...histories].map(([workflowId, each]) => ({ workflowId, history: each }));
      if (toReplay.length === 0) return;
      for await (const replayed of Worker.runReplayHistories({ workflowBundle }, toReplay)) {
        if (replayed.error) throw new Error(`${replayed.workflowId} does not replay`, { cause: replayed.error });
      }
    },
    async close() {
      await first.stop();
      for (const other of others) await other.stop();
      await connection.close();
      await native.close();
    },
  };
}

/** Children that were started again later, each with which attempt of its workflow it was. */
function earlierAttempts(histories: readonly History[]): [attempt: number, child: Child][] {
  return histories.flatMap((history) => {
    const children = childrenOf(history);
    return children.flatMap((child, index): [number, Child][] => {
      const isSame = ({ workflowId }: Child) => workflowId === child.workflowId;
      if (!children.slice(index + 1).some(isSame)) return [];
      return [[children.slice(0, index + 1).filter(isSame).length, child]];
    });
  });
}
type Child = ReturnType<typeof childrenOf>[number];

/** A world of its own for one test: a queue named after `title`, a worker, and after the body the check of its histories. */
export async function withWorker(
  title: string,
  options: WorldOptions,
  body: (world: TestWorld) => Promise<void>,
): Promise<void> {
  const world = await openWorld(title, options);
  try {
    await body(world);
    await world.check();
  } finally {
    await world.close();
  }
}

/** One world for all tests of a file. After each test its histories are checked, so that it fails for what it caused. */
export function useWorld(
  title: string,
  options: WorldOptions = {},
): Pick<TestWorld, 'start' | 'history' | 'startWorker'> & { world: () => TestWorld } {
  let world: OpenWorld | undefined;
  beforeAll(async () => void (world = await openWorld(title, options)));
  afterEach(() => world!.check());
  afterAll(() => world?.close());
  return {
    world: () => world!,
    start: (...input) => world!.start(...input),
    history: (workflowId) => world!.history(workflowId),
    startWorker: () => world!.startWorker(),
  };
}
