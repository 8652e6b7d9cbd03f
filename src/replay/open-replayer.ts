/** Temporal's replay of one history after the other, in one worker that polls nobody. */
import type { DataConverter } from '@temporalio/common';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { Worker, type ReplayWorkerOptions, type WorkflowBundle } from '@temporalio/worker';
import { TributaryError } from '../contract/failure.ts';
import type { HistoryJson } from '../contract/replay.ts';

export type WorkflowCode =
  { readonly workflowBundle: WorkflowBundle | { codePath: string } } | { readonly workflowsPath: string };

/** Why a history was not followed to its end. */
export type ReplayFailure = {
  /** `other-code`: the code wants something else than was recorded. `no-end`: no answer came, and the replayer is of no more use. */
  readonly kind: 'other-code' | 'failed' | 'no-end';
  readonly message: string;
};

export type Replayer = {
  /** `null` = the code follows it. `INVALID_REQUEST` where Temporal cannot read it. */
  replay(workflowId: string, history: HistoryJson): Promise<ReplayFailure | null>;
  close(): Promise<void>;
};

export type ReplayOptions = {
  readonly code: WorkflowCode;
  /** That of the client and the worker: with a codec, payloads are decoded as they are there. */
  readonly dataConverter?: DataConverter;
};

/** Temporal's core gives up without a word over some histories. A long one takes seconds. */
const patienceMs = 300_000;

/** In a thread, code that spins is stopped; in this one, where replay runs it by default, it would hold everything up. */
const inThread = { debugMode: false, isolateExecutionTimeout: '30s' };

export function openReplayer({ code, dataConverter }: ReplayOptions): Replayer {
  const queue: { workflowId: string; history: ReturnType<typeof historyFromJSON> }[] = [];
  let wake = () => {};
  async function* feed() {
    for (;;) {
      while (queue.length === 0) await new Promise<void>((resolve) => (wake = resolve));
      yield queue.shift()!;
    }
  }
  const options: ReplayWorkerOptions = { ...code, ...(dataConverter && { dataConverter }), ...inThread };
  const results = Worker.runReplayHistories(options, feed());
  let isBroken = false;
  return {
    async replay(workflowId, history) {
      queue.push({ workflowId, history: parse(workflowId, history) });
      wake();
      const answer = await within(patienceMs, results.next());
      isBroken = answer === null;
      if (answer === null) return { kind: 'no-end', message: 'no answer came from the replay of this history' };
      const error = answer.done ? new Error('the replay has ended') : answer.value.error;
      if (!error) return null;
      const kind = error.name === 'DeterminismViolationError' ? 'other-code' : 'failed';
      return { kind, message: toOwnWords(error.message) };
    },
    async close() {
      if (!isBroken) await results.return?.(undefined);
    },
  };
}

function parse(workflowId: string, history: HistoryJson): ReturnType<typeof historyFromJSON> {
  try {
    return historyFromJSON(history);
  } catch (cause) {
    const problem = `the history of ${workflowId} is none that Temporal can read: ${(cause as Error).message}`;
    throw new TributaryError('INVALID_REQUEST', problem, { cause });
  }
}

async function within<T>(ms: number, work: Promise<T>): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => (timer = setTimeout(() => resolve(null), ms)));
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The sentence inside what Temporal's core prints as `Failure { failure: Some(Failure { message: "…", … }`. */
function toOwnWords(message: string): string {
  const quoted = /\bmessage: ("(?:[^"\\]|\\.)*")/s.exec(message)?.[1];
  if (quoted === undefined) return message;
  return quoted.slice(1, -1).replace(/\\(u\{([0-9a-f]+)\}|.)/gs, (_, sign: string, hex?: string) => {
    if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
    return { n: '\n', t: '\t', r: '\r' }[sign] ?? sign;
  });
}
