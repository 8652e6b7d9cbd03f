/** What a child used that closed without saying so. */
import { CancellationScope } from '@temporalio/workflow';
import type { Amounts } from '../contract/budget.ts';
import type { StoppedUsage } from '../contract/stopped-usage.ts';
import { chargeReservation } from '../domain/charge.ts';
import { fromTemporalFailure } from '../temporal/failure-codec.ts';
import { settleStoppedActivity } from './activity-stubs.ts';

/**
 * From the child's own history; where even that fails, its whole allotment is charged, as an estimate, and `note` is told.
 * `priceMicroUsd`: what the tokens of the allotment cost at most, `null` where the price is unknown.
 */
export async function readStopped(
  child: { readonly runId: string; readonly id: string },
  { tokens, toolCalls, microUsd }: Amounts,
  priceMicroUsd: number | null,
  note: (text: string) => void = () => undefined,
): Promise<StoppedUsage> {
  const { runId, id } = child;
  try {
    const [stopped] = await CancellationScope.nonCancellable(() => settleStoppedActivity({ runId, subagentIds: [id] }));
    if (stopped) return stopped;
  } catch (error) {
    const { kind } = fromTemporalFailure(error);
    note(`the history of ${id} could not be read, so its whole allotment is charged: ${kind}`);
  }
  const price = priceMicroUsd === null ? null : Math.min(priceMicroUsd, microUsd);
  const usage = { ...chargeReservation({ tokens, microUsd: price }), toolCalls };
  return { id, usage, turns: 0, toolCalls: 0, toolCallMessages: 0, transcript: null };
}
