/** Has people decide on the calls of a batch that ask first, all at once. */
import { isCancellation } from '@temporalio/workflow';
import type { ApprovalAnswer, ApprovalAsk } from '../contract/control.ts';
import type { PlannedCall } from '../contract/resume.ts';
import type { ToolStep } from '../contract/steps.ts';
import { toolErrorText } from '../domain/tool-error-text.ts';

export type DecidedCalls = {
  /** The same calls in the same order; one that may not run has a problem, which the model reads. */
  readonly decided: readonly PlannedCall[];
  /** Arguments that a person wrote, by call id. */
  readonly edited: ReadonlyMap<string, NonNullable<ToolStep['editedArguments']>>;
};

/** Never rejects: where the wait is cancelled, the request is withdrawn, and the batch answers every call all the same. */
export async function decideCalls(
  calls: readonly PlannedCall[],
  ask: (call: Omit<ApprovalAsk, 'subagentId'>) => Promise<ApprovalAnswer>,
): Promise<DecidedCalls> {
  const edited = new Map<string, NonNullable<ToolStep['editedArguments']>>();
  const decide = async (call: PlannedCall): Promise<PlannedCall> => {
    if (call.ask === undefined || call.problem !== undefined) return call;
    try {
      const answer = await ask({ callId: call.callId, tool: call.name, input: call.ask.input });
      if (answer.decision !== 'approved') return { ...call, problem: toProblem(answer) };
      if (answer.args) edited.set(call.callId, answer.args);
      return call;
    } catch (error) {
      if (!isCancellation(error)) throw error;
      return { ...call, problem: toolErrorText.withdrawn() };
    }
  };
  return { decided: await Promise.all(calls.map(decide)), edited };
}

function toProblem({ decision, reason }: ApprovalAnswer): string {
  switch (decision) {
    case 'denied':
      return toolErrorText.denied(reason);
    case 'expired':
      return toolErrorText.expired();
    case 'approved':
    case 'withdrawn':
      return toolErrorText.withdrawn();
    default:
      return decision satisfies never;
  }
}
