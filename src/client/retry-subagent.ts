/** Has a run that goes on start one of its subagents again. */
import { setTimeout as delay } from 'node:timers/promises';
import { retrySubagentInputSchema } from '../contract/control.ts';
import { failureCodeOf } from '../contract/failure.ts';
import { parseInput } from '../contract/invalid-input.ts';
import type { SubagentStatus } from '../contract/run-view.ts';
import { subagentOf } from '../domain/projection/run-state.ts';
import { statusOf } from '../domain/projection/subagent-state.ts';
import { retrySubagentUpdate } from '../temporal/names.ts';
import type { ClientContext } from './client-context.ts';
import { describeRunExecution } from './execution.ts';
import { readRun } from './history/read-run.ts';
import type { RetrySubagentOptions } from './research-api.ts';
import { sendUpdate } from './send-update.ts';

const triedAgain: readonly SubagentStatus[] = ['failed', 'cancelled', 'timed-out', 'partial'];
/** A subagent's end is in its own history first, and a moment later its run knows of it. */
const maxTries = 10;
const pauseMs = 200;

export async function retrySubagent(
  context: ClientContext,
  runId: string,
  id: string,
  { budget, ...options }: RetrySubagentOptions,
): Promise<void> {
  const wanted = { id, by: context.identity, ...(budget && { budget }) };
  const input = parseInput(retrySubagentInputSchema, wanted, 'retry-subagent');
  for (let tries = 1; ; tries += 1) {
    try {
      return await sendUpdate(context, runId, retrySubagentUpdate, input, options);
    } catch (error) {
      if (tries >= maxTries || failureCodeOf(error) !== 'ALREADY_DECIDED') throw error;
      if (!(await hasJustEnded(context, runId, id, options.signal))) throw error;
    }
    await delay(pauseMs, undefined, { signal: options.signal });
  }
}

async function hasJustEnded(
  context: ClientContext,
  runId: string,
  id: string,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const view = await readRun(context, await describeRunExecution(context, runId, signal), { signal });
  const subagent = subagentOf(view, id);
  return subagent !== undefined && triedAgain.includes(statusOf(subagent));
}
