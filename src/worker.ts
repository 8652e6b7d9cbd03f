/** PROGRAM: wires models, tools, corpora and the store into activities, and runs the worker. */
import { Client } from '@temporalio/client';
import {
  DefaultLogger,
  NativeConnection,
  Runtime,
  Worker,
  type LogEntry,
  type NativeConnectionOptions,
  type WorkerOptions,
} from '@temporalio/worker';
import { mkdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import pino from 'pino';
import { createActivities } from './activities/create-activities.ts';
import { applyQueueLimit } from './client/queue-limits.ts';
import { readEndedRun } from './client/kept/read-ended-run.ts';
import { readLeftWork } from './client/read-left-work.ts';
import { readStoppedUsage } from './client/read-stopped-usage.ts';
import type { BudgetCeiling } from './contract/budget.ts';
import { defaults } from './contract/defaults.ts';
import type { RateLimits } from './contract/rate-limits.ts';
import { toQueueRate } from './domain/concurrency.ts';
import { limitsFor } from './models/limits/limits-for.ts';
import { findModelQueue, listModelQueues, type ModelQueue } from './models/limits/model-queues.ts';
import type { ModelSettings } from './models/model-settings.ts';
import { createModelOpener } from './models/open-model.ts';
import { priceUsage, ratesOf } from './models/price/price-catalogue.ts';
import { createMemoryBuckets } from './store/buckets/memory-buckets.ts';
import { createPostgresBuckets } from './store/buckets/postgres-buckets.ts';
import { createFolderRecords } from './store/folder-records.ts';
import { createFolderStore } from './store/folder-store.ts';
import { createKnownCommands } from './store/known-commands.ts';
import { type KeeperLog, startKeeper } from './start-keeper.ts';
import { createToolboxOpener } from './tools/open-toolbox.ts';
import { createProxiedFetch } from './tools/web/proxied-fetch.ts';
import type { WebSettings } from './tools/web/create-web-tools.ts';
import { findWorkflowCode } from './workflow-code.ts';

export type WorkerSettings = {
  readonly connection: NativeConnectionOptions & { readonly address: string };
  readonly namespace: string;
  readonly taskQueue: string;
  /** Holds the store and the indexes of corpora. */
  readonly dataDir: string;
  readonly models: ModelSettings;
  /** What the providers of the models allow. */
  readonly limits: RateLimits;
  /** Shares the limits with other workers; `null` = this worker counts alone. */
  readonly databaseUrl: string | null;
  readonly web: WebSettings;
  /** The most that a run may be given here; `null` = no limit. */
  readonly ceiling: BudgetCeiling | null;
  /** Which of the commands that runs name (`--on-event`) it runs; `known` = those given to the command line here. */
  readonly allowCommands: 'all' | 'known' | 'none';
  readonly logFile: string;
  /** Copies the log to stderr. */
  readonly verbose: boolean;
  /** How long running activities may go on after `stop()`; then they are given back to the server. */
  readonly graceMs?: number;
};

/** `done` rejects when the worker fails, and resolves after `stop()`. */
export type RunningWorker = { stop(): Promise<void>; readonly done: Promise<void> };

const defaultGraceMs = 1_000;
/** Open at once on one queue. Each waits on a socket; the usual 100 would hold a large limit back. */
const maxModelCalls = 500;

/** Resolves when the worker polls. One per process: the SDK's runtime and its log belong to the process. */
export async function runWorker(settings: WorkerSettings): Promise<RunningWorker> {
  await mkdir(dirname(settings.logFile), { recursive: true, mode: 0o700 });
  installRuntime(settings);
  const { connection: connectionOptions, namespace, taskQueue, dataDir } = settings;
  const connection = await NativeConnection.connect(connectionOptions);
  const identity = `${process.pid}@${hostname()}`;
  const client = new Client({ connection, namespace, identity });
  const { databaseUrl } = settings;
  const buckets = databaseUrl === null ? createMemoryBuckets() : createPostgresBuckets(databaseUrl);
  const { models, limits } = settings;
  const store = createFolderStore(dataDir);
  const records = createFolderRecords(dataDir);
  const activities = createActivities({
    store,
    openModel: createModelOpener(models, limits),
    openToolbox: createToolboxOpener(join(dataDir, 'indexes'), settings.web),
    ratesOf,
    trafficOf: (choice) => ({
      taskQueue: findModelQueue(choice, models, limits),
      limit: limitsFor(choice.model, limits)?.limit ?? null,
    }),
    priceUsage,
    buckets,
    notices: { mayRun: createCommandCheck(settings), fetch: createProxiedFetch(settings.web.proxyFor) },
    ...(settings.ceiling && { ceiling: settings.ceiling }),
    readStoppedUsage: (runId, subagentId) => readStoppedUsage(client, runId, subagentId),
    readLeftWork: (runId, subagentId, signal) => readLeftWork(client, runId, subagentId, signal),
    readEndedRun: (run, signal) => readEndedRun({ client, identity, records }, run, signal),
  });
  const common = {
    connection,
    namespace,
    // Heartbeats carry cancellations where the server cannot push them: the default would sit on one for 80 % of its time-out.
    maxHeartbeatThrottleInterval: defaults.maxHeartbeatThrottleIntervalMs,
    defaultHeartbeatThrottleInterval: defaults.maxHeartbeatThrottleIntervalMs,
    shutdownGraceTime: settings.graceMs ?? defaultGraceMs,
    shutdownForceTime: (settings.graceMs ?? defaultGraceMs) + defaults.toolAbandonMs,
  };
  const onRuns = await Worker.create({
    ...common,
    taskQueue,
    ...findWorkflowCode(),
    activities,
    // Tasks for a worker that was killed wait this long before another one may take them.
    stickyQueueScheduleToStartTimeout: '3s',
  });
  const { planActivity, callModelActivity, synthesizeActivity } = activities;
  const onModels = listModelQueues(models, limits).map(async (queue) =>
    Worker.create({
      ...common,
      ...(await limitQueue(client, queue)),
      taskQueue: queue.taskQueue,
      maxConcurrentActivityTaskExecutions: maxModelCalls,
      activities: { planActivity, callModelActivity, synthesizeActivity },
    }),
  );
  const running = runTogether([onRuns, ...(await Promise.all(onModels))]);
  const { logger } = Runtime.instance();
  const log: KeeperLog = (level, message, fields) => void logger[level](message, fields);
  const keeper = startKeeper(client, identity, { store, records, log });
  const done = running.done.finally(async () => {
    await keeper.stop({ atOnce: true });
    await Promise.all([connection.close(), buckets.close()]);
  });
  done.catch(() => undefined); // whoever holds it is told
  return {
    done,
    async stop() {
      const kept = keeper.stop(); // as long as what it reads with is open
      running.shutdown();
      await kept;
      await done;
    },
  };
}

function createCommandCheck({
  allowCommands,
  dataDir,
}: WorkerSettings): (command: readonly string[]) => Promise<boolean> {
  const known = createKnownCommands(dataDir);
  return async (command) => allowCommands === 'all' || (allowCommands === 'known' && known.has(command));
}

/** The server keeps the limit for all workers; one that refuses is told with each poll, which does as much but for tenants. */
async function limitQueue(client: Client, { taskQueue, limit }: ModelQueue): Promise<Partial<WorkerOptions>> {
  if (!limit) return {};
  const { logger } = Runtime.instance();
  try {
    await applyQueueLimit(client, taskQueue, limit);
    logger.info('requests a minute are limited', { taskQueue, rpm: limit.rpm, tenantRpm: limit.tenantRpm });
    return {};
  } catch (error) {
    logger.warn('the server does not take limits of task queues: this worker sets them, and tenants have no share', {
      ...{ taskQueue, rpm: limit.rpm, problem: (error as Error).message },
    });
    return limit.rpm === undefined ? {} : { maxTaskQueueActivitiesPerSecond: toQueueRate(limit.rpm) };
  }
}

/** Workers that live and end together: where one fails, the others are shut down. */
function runTogether(workers: readonly Worker[]): { readonly done: Promise<void>; shutdown(): void } {
  const shutdown = () => {
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
  };
  const ends = workers.map((worker) => worker.run().finally(shutdown));
  // All have let go of the connection before anybody hears of the first failure.
  const done = Promise.allSettled(ends).then(async () => void (await Promise.all(ends)));
  return { done, shutdown };
}

function installRuntime({ logFile, verbose }: WorkerSettings): void {
  const file = pino.destination({ dest: logFile, append: true, sync: true });
  const streams = verbose ? [{ stream: file }, { stream: process.stderr }] : [{ stream: file }];
  const log = pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime }, pino.multistream(streams));
  const levels = { TRACE: 'trace', DEBUG: 'debug', INFO: 'info', WARN: 'warn', ERROR: 'error' } as const;
  const write = ({ level, message, meta }: LogEntry) => log[levels[level]](toLogged(meta), message);
  Runtime.install({
    logger: new DefaultLogger('INFO', write),
    telemetryOptions: { logging: { forward: {}, filter: { core: 'WARN', other: 'ERROR' } } },
    shutdownSignals: [], // the programs decide what a signal means
  });
}

/** Names and numbers only. Errors lose everything but their message: a cause may hold a prompt or a header. */
function toLogged(meta: LogEntry['meta']): Record<string, unknown> {
  const entries = Object.entries(meta ?? {}).flatMap(([key, value]) => {
    if (value instanceof Error) return [[key, value.message]];
    return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? [[key, value]] : [];
  });
  return Object.fromEntries(entries) as Record<string, unknown>;
}
