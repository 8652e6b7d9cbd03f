/** What a model is told of a call that did not run or did not answer: what happened, and what it can do now. */
import { previewText } from './text.ts';

export const toolErrorText = {
  /** The call's own deadline. */
  deadline: (seconds: number) =>
    `The tool did not respond within ${inSeconds(seconds)} and was stopped. The other calls are not affected. Try a smaller request, or go on without it.`,
  batchDeadline: (seconds: number) =>
    `This call was stopped because the calls of this turn together did not finish within ${inSeconds(seconds)}. Ask for fewer at a time.`,
  /** A sequential batch stopped before this call. */
  skipped: (failedName: string) =>
    `Not run: skipped because the call of "${failedName}" before it failed. Look at that failure first; call again if it still makes sense.`,
  /** A person asked for it. */
  cancelled: () => 'Cancelled at the request of the user. Do not call it again unless the user asks for it.',
  /** The subagent's wall clock ran out. */
  timeUp: () =>
    'Stopped automatically, not by the user: the time for this subtask is up. Hand back what you have found so far.',
  /** The run did it by itself: nobody interrupted the model. */
  cancelledSibling: (name: string) =>
    `Stopped automatically, not by the user: the call of "${name}" in the same turn failed, and the calls of one turn succeed or fail together here. Correct that call, then make all of them again.`,
  unknownTool: (name: string, available: readonly string[]) =>
    `There is no tool named "${previewText(name, 80)}". ${available.length === 0 ? 'There are no tools in this turn.' : `The tools are: ${available.join(', ')}.`}`,
  truncated: () =>
    'Not run: this reply was truncated by the output limit, so its calls may be incomplete. Make the call again with shorter arguments, or fewer calls at once.',
  loop: () =>
    'Not run: the same call with the same arguments was made before, and its result will not change. Use what you have.',
  /** A person decided against it. */
  denied: (reason: string | undefined) =>
    `Not run: denied by a person${reason === undefined || reason === '' ? '' : `: ${previewText(reason, 500)}`}. Do not make this call again; go on without it.`,
  /** Nobody decided in time, which is nobody's refusal. */
  expired: () =>
    'Not run: this call needs the approval of a person, and nobody decided in time. Go on without it, and say that it was not done.',
  withdrawn: () => 'Not run: the request for approval was withdrawn, since the work was stopped.',
  /** The run allows no such call without asking, and asks nobody. */
  notAllowed: (name: string) =>
    `Not run: this run does not allow this call of "${previewText(name, 80)}". Go on without it, and say that it was not done.`,
  /** A write that may or may not have taken effect. It is not repeated. */
  unknownOutcome: () =>
    'The outcome is unknown: the connection to the tool was lost while it worked, so the change may or may not have been made. It was not repeated. Check before you try again.',
  overCap: (cap: number) =>
    `Not run: at most ${cap} ${cap === 1 ? 'call is' : 'calls are'} executed per turn, and this one came after ${cap === 1 ? 'it' : 'them'}. Make it again in the next turn if it is still needed.`,
  oneAtATime: () =>
    'Not run: only one tool call at a time is possible here, and the first one of this message was run. Make one call, wait for its result, then make the next.',
  noBudget: () => 'Not run: no tool calls are left in the budget. Hand back what you have found so far.',
  /** It ignored its abort signal and was let go. */
  mayStillRun: () =>
    'Cancelled, may still be running: the tool did not stop when it was asked to. Do not rely on its result.',
} as const;

function inSeconds(seconds: number): string {
  return `${seconds} ${seconds === 1 ? 'second' : 'seconds'}`;
}
