/** Activities without a server: a store in memory, a model that answers from a list, and attempts as the server makes them. */
import type { Info } from '@temporalio/activity';
import type { CancelledFailure } from '@temporalio/common';
import { ApplicationFailure, type Logger } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createHash } from 'node:crypto';
import { createActivities, type Activities } from '../../src/activities/create-activities.ts';
import type { ActivityDependencies } from '../../src/activities/dependencies.ts';
import type { CallUsage } from '../../src/contract/budget.ts';
import { TributaryError, type FailureCode } from '../../src/contract/failure.ts';
import type { ModelReply } from '../../src/contract/model.ts';
import type { ModelStep } from '../../src/contract/steps.ts';
import type { Model, ModelRequest } from '../../src/models/model.ts';
import type { BlobStore } from '../../src/store/blob-store.ts';
import { createMemoryBuckets } from '../../src/store/buckets/memory-buckets.ts';
import type { Tool } from '../../src/tools/tool.ts';

export const storeId = 'store_test';

export type MemoryStore = BlobStore & {
  readonly blobs: Map<string, Uint8Array>;
  text(hash: string): string;
};

export function memoryStore(id = storeId): MemoryStore {
  const blobs = new Map<string, Uint8Array>();
  return {
    blobs,
    text: (hash) => new TextDecoder().decode(blobs.get(hash)),
    id: async () => id,
    async put(bytes) {
      const hash = createHash('sha256').update(bytes).digest('hex');
      blobs.set(hash, bytes);
      return { hash, bytes: bytes.byteLength };
    },
    async get(hash) {
      const bytes = blobs.get(hash);
      if (!bytes) throw new TributaryError('TRANSCRIPT_MISSING', `there is no blob ${hash}`);
      return bytes;
    },
  };
}

/** A failure by its code, `'crash'` (the worker dies while the request is out), `'hang'`, or a reply. */
export type Answer = FailureCode | 'crash' | 'hang' | TributaryError | ModelReply;

export function reply(parts: Partial<ModelReply> = {}): ModelReply {
  const toolCalls = parts.toolCalls ?? [];
  return {
    text: '',
    toolCalls,
    finish: toolCalls.length > 0 ? 'tool-calls' : 'stop',
    usage: { inputTokens: 100, outputTokens: 20 },
    ...parts,
  };
}

export type ListModel = Model & { readonly requests: ModelRequest[]; readonly signals: AbortSignal[] };

/** Answers one after the other; the last one again and again. `countTokens`: `null` unless given. */
export function modelOf(answers: readonly Answer[], options: { countTokens?: Model['countTokens'] } = {}): ListModel {
  const requests: ModelRequest[] = [];
  const signals: AbortSignal[] = [];
  return {
    name: 'list',
    requests,
    signals,
    countTokens: options.countTokens ?? (async () => null),
    async call(request, { signal, onRequest }) {
      onRequest();
      requests.push(request);
      signals.push(signal);
      const answer = answers[Math.min(requests.length, answers.length) - 1]!;
      if (answer === 'crash') crashes.get(signal)?.();
      if (answer === 'crash' || answer === 'hang') {
        return new Promise((_, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }),
        );
      }
      if (typeof answer === 'string') throw new TributaryError(answer, `the model says ${answer}`);
      if (answer instanceof TributaryError) throw answer;
      return answer;
    },
  };
}

/** What ends an attempt as if its worker had died, by the signal of the attempt. */
const crashes = new WeakMap<AbortSignal, () => void>();

export type World = {
  readonly store: MemoryStore;
  readonly activities: Activities;
};

export function createWorld(
  parts: {
    model?: Model;
    tools?: readonly Tool[];
    store?: MemoryStore;
  } & Partial<ActivityDependencies> = {},
): World {
  const { model = modelOf([reply()]), tools = [], store = memoryStore(), ...dependencies } = parts;
  const activities = createActivities({
    store,
    openModel: async () => model,
    openToolbox: async () => ({ tools, outline: () => [], notes: [] }),
    ratesOf: () => ({ input: 1, output: 10 }),
    // A hundredth of a USD for each call of `reply()`.
    priceUsage: (_, { inputTokens, outputTokens }) => (inputTokens + outputTokens) / 12_000,
    buckets: createMemoryBuckets(),
    trafficOf: () => ({ taskQueue: null, limit: null }),
    readStoppedUsage: async () => {
      throw new Error('nothing has stopped');
    },
    readLeftWork: async () => {
      throw new Error('nothing has ended');
    },
    readEndedRun: async () => {
      throw new Error('nothing has ended');
    },
    notices: { mayRun: async () => true, fetch },
    ...dependencies,
  });
  return { store, activities };
}

export type Ending<R> = {
  /** Attempts that were made. */
  readonly attempts: number;
  readonly result?: R;
  readonly failure?: ApplicationFailure | CancelledFailure;
  /** The usage in the details of the failure. */
  readonly usage?: CallUsage;
};

/**
 * Makes attempts as the server does, until a result or a failure that is not to be repeated: each begins with the last
 * heartbeat of those before it. `lostBeats`: a crash takes the heartbeats of its attempt with it.
 */
export async function runAttempts<S, R>(
  activity: (step: S) => Promise<R>,
  step: S,
  options: { info?: Partial<Info>; lostBeats?: boolean } = {},
): Promise<Ending<R>> {
  let carried: unknown;
  for (let attempt = 1; attempt <= 12; attempt += 1) {
    const environment = openEnvironment({ ...options.info, attempt, heartbeatDetails: carried });
    let isOver = false;
    let newest = carried;
    environment.on('heartbeat', (details: unknown) => {
      if (!isOver) newest = details === undefined ? undefined : JSON.parse(JSON.stringify(details));
    });
    const crashed = new Promise<'crashed'>((resolve) =>
      crashes.set(environment.context.cancellationSignal, () => resolve('crashed')),
    );
    const running = environment.run<[S], R, typeof activity>(activity, step).then(
      (result) => ({ result }),
      (error: unknown) => ({ failure: error as ApplicationFailure | CancelledFailure }),
    );
    const ending = await Promise.race([running, crashed]);
    isOver = true;
    if (ending === 'crashed') {
      environment.cancel();
      await running;
      carried = options.lostBeats ? carried : newest;
      continue;
    }
    carried = newest;
    if ('result' in ending) return { attempts: attempt, result: ending.result };
    const { failure } = ending;
    if (!(failure instanceof ApplicationFailure) || failure.nonRetryable) {
      return { attempts: attempt, failure, usage: failure.details?.[0] as CallUsage };
    }
  }
  throw new Error('the activity was attempted 12 times and would have gone on');
}

const silent = () => undefined;
const logger: Logger = { log: silent, trace: silent, debug: silent, info: silent, warn: silent, error: silent };

/** Temporal's stand-in, without a warning for each failure that a test asks for. */
export const openEnvironment = (info: Partial<Info> = {}): MockActivityEnvironment =>
  new MockActivityEnvironment(info, { logger });

/** One attempt; rejects as the activity does. */
export async function runOnce<S, R>(activity: (step: S) => Promise<R>, step: S, info: Partial<Info> = {}): Promise<R> {
  return openEnvironment(info).run<[S], R, typeof activity>(activity, step);
}

export function modelStep(parts: Partial<ModelStep> = {}): ModelStep {
  return {
    runId: 'run-1',
    subagentId: 's1',
    storeId,
    turn: 1,
    head: null,
    question: 'Why?',
    goal: 'Find out why.',
    model: 'list',
    tools: [],
    parallelToolCalls: true,
    encourageBatching: true,
    results: [],
    maxOutputTokens: 1_000,
    maxSpendTokens: 20_000,
    attempts: 4,
    ...parts,
  };
}
