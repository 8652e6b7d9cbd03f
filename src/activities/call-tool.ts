/** One tool call: its own deadline, its output capped and stored, and every way of ending a result that a model can read. */
import { Context } from '@temporalio/activity';
import { defaults } from '../contract/defaults.ts';
import { failureCodeOf } from '../contract/failure.ts';
import type { ToolStep, ToolStepResult } from '../contract/steps.ts';
import { cleanText, cutText, previewText } from '../domain/text.ts';
import { toolErrorText } from '../domain/tool-error-text.ts';
import type { ToolOutput } from '../tools/tool.ts';
import { runCancellable, type ActivityFrame } from './cancellable.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { storePatiently } from './store-patiently.ts';
import { loadLastMessage, requireStore } from './transcript.ts';

const previewChars = 160;
const emptyOutput = '(the tool succeeded and returned no output)';

export function createCallToolActivity(dependencies: ActivityDependencies) {
  return async function callToolActivity(step: ToolStep): Promise<ToolStepResult> {
    let mayStillRun = false;
    const run = async (frame: ActivityFrame): Promise<ToolStepResult> => {
      const startedAt = performance.now(); // the clock of the machine may be set meanwhile
      await requireStore(dependencies.store, step.storeId);
      const outcome = await runTool(dependencies, step, frame, () => (mayStillRun = true));
      const text = cutText(outcome.text, step.maxOutputChars);
      // What a write has done must not be lost, and its activity may take so much longer than its deadline.
      const leftMs = step.deadlineMs + defaults.toolAbandonMs - (performance.now() - startedAt);
      const store = () => dependencies.store.put(new TextEncoder().encode(text));
      return {
        callId: step.callId,
        isError: outcome.isError,
        ref: await storePatiently(frame.signal, store, leftMs),
        preview: previewText(text, previewChars),
        sources: [...(outcome.sources ?? [])],
        durationMs: Math.round(performance.now() - startedAt),
        ...(outcome.delegated && { delegated: [...outcome.delegated] }),
      };
    };
    return runCancellable(run, () => [{ mayStillRun }]);
  };
}

type ToolOutcome = ToolOutput & { readonly isError: boolean };

async function runTool(
  dependencies: ActivityDependencies,
  step: ToolStep,
  frame: ActivityFrame,
  onAbandoned: () => void,
): Promise<ToolOutcome> {
  const toolbox = await dependencies.openToolbox({ corpus: step.corpus, web: step.web, delegation: step.delegation });
  const tool = toolbox.tools.find((each) => each.description.name === step.name);
  const message = await loadLastMessage(dependencies.store, step.head);
  const call = message.role === 'assistant' ? message.toolCalls.find((each) => each.callId === step.callId) : undefined;
  if (!tool || !call) {
    return error(
      toolErrorText.unknownTool(
        step.name,
        toolbox.tools.map((each) => each.description.name),
      ),
    );
  }
  const problem = step.editedArguments && tool.check(step.editedArguments);
  if (problem) return error(`Not run: a person changed the arguments, and the tool refuses them: ${problem}`);
  const deadline = AbortSignal.timeout(step.deadlineMs);
  const signal = AbortSignal.any([frame.signal, deadline]);
  // A tool that throws at once, or answers without a promise, is no reason to fail the activity.
  const running = (async () => {
    frame.signal.throwIfAborted();
    return tool.run(step.editedArguments ?? call.arguments, {
      signal,
      idempotencyKey: `${frame.workflowId}${step.attempt ? `#${step.attempt}` : ''}/${step.callId}`,
    });
  })();
  running.catch(() => undefined); // it may end after we have let it go
  try {
    const output = await Promise.race([running, abandoned(frame.signal, deadline, onAbandoned)]);
    const text = toText(output);
    if (!step.editedArguments) return { ...output, text, isError: false };
    const note = `(A person changed the arguments of this call to ${previewText(JSON.stringify(step.editedArguments), 1_000)} before it ran.)`;
    return { ...output, text: `${note}\n${text}`, isError: false };
  } catch (cause) {
    if (frame.signal.aborted) throw cause;
    if (deadline.aborted) return error(toolErrorText.deadline(step.deadlineMs / 1_000));
    if (failureCodeOf(cause) === 'TOOL_FAILED' && canRetry(frame.attempt)) throw cause;
    return error(toErrorText(cause));
  }
}

/** Never blank: providers refuse that. Tools that the compiler did not check may answer with no text, or with none at all. */
function toText(output: { readonly text?: unknown } | null | undefined): string {
  const value = output?.text ?? '';
  const text = cleanText(typeof value === 'string' ? value : JSON.stringify(value));
  return text.trim() === '' ? emptyOutput : text;
}

/** The words of whatever was thrown: errors of other realms are no `Error` here, and a tool may throw a text. */
function toErrorText(cause: unknown): string {
  const message = typeof cause === 'string' ? cause : (cause as { message?: unknown } | null | undefined)?.message;
  const text = typeof message === 'string' ? cleanText(message) : '';
  return text.trim() === '' ? 'the tool failed without saying why' : text;
}

/**
 * Rejects at the deadline at once, and after a cancellation when the tool has had its time to stop: one that ignores its
 * signal is let go, and the call is recorded as perhaps still running (R5.1).
 */
async function abandoned(cancelled: AbortSignal, deadline: AbortSignal, onAbandoned: () => void): Promise<never> {
  return new Promise((_, reject) => {
    deadline.addEventListener('abort', () => reject(new Error('deadline')), { once: true });
    const onCancel = () => {
      setTimeout(() => {
        onAbandoned();
        reject(new Error('abandoned'));
      }, defaults.toolAbandonMs).unref();
    };
    if (cancelled.aborted) onCancel();
    else cancelled.addEventListener('abort', onCancel, { once: true });
  });
}

function canRetry(attempt: number): boolean {
  const most = Context.current().info.retryPolicy?.maximumAttempts ?? 0;
  return most === 0 || attempt < most;
}

function error(text: string): ToolOutcome {
  return { text, isError: true };
}
