/** Executes a planned batch. Every call gets exactly one answer, in call order, whatever happens to it. Never rejects. */
import { CancellationScope } from '@temporalio/workflow';
import type { PlannedCall } from '../contract/resume.ts';
import type { ToolStepResult } from '../contract/steps.ts';
import type { ToolTraits, ToolOptions } from '../contract/tool.ts';
import type { ToolResult } from '../contract/transcript.ts';
import { planToolBatch, type Stage } from '../domain/tool-batch.ts';
import { toolErrorText } from '../domain/tool-error-text.ts';
import { withDeadline } from './with-deadline.ts';
import { fromTemporalFailure, type DecodedFailure } from '../temporal/failure-codec.ts';

export type ToolBatch = {
  readonly calls: readonly PlannedCall[];
  readonly tools: readonly ToolTraits[];
  readonly options: ToolOptions;
  readonly remainingToolCalls: number;
  /** Whether a cancellation from above is the end of the subagent's time, and not a person's. */
  isTimeUp(): boolean;
  /** Runs one call to its end; rejects with an activity's failure. With a `text` that is what the model gets. */
  execute(call: PlannedCall, tool: ToolTraits): Promise<ToolStepResult & { readonly text?: string }>;
};

export type ToolBatchResult = {
  /** One per call, in the order of the calls. */
  readonly results: readonly ToolResult[];
  /** Calls that were started: what the budget is charged for. */
  readonly executed: number;
  readonly read: readonly ToolStepResult[];
  /** The first call that failed, where the batch was all-or-nothing. */
  readonly firstFailure: string | null;
};

type Answer = { readonly result: ToolResult; readonly failed: boolean };

export async function runToolBatch(batch: ToolBatch): Promise<ToolBatchResult> {
  const answers = new Map<string, Answer>();
  const read: ToolStepResult[] = [];
  const byId = new Map(batch.calls.map((call) => [call.callId, call]));
  const toolOf = (call: PlannedCall) => batch.tools.find((tool) => tool.name === call.name);
  const executable: { call: PlannedCall; tool: ToolTraits }[] = [];
  /** Calls that cannot be executed at all. For those after them in the order they have failed. */
  const impossible: PlannedCall[] = [];
  const answer = (callId: string, text: string, failed = true) => {
    const name = byId.get(callId)!.name;
    // The first recorded answer of a call is its answer (CASES B02).
    if (!answers.has(callId))
      answers.set(callId, { result: { callId, name, isError: failed, content: { text } }, failed });
  };

  for (const call of batch.calls) {
    const tool = toolOf(call);
    if (tool && call.problem === undefined) {
      executable.push({ call, tool });
      continue;
    }
    const names = batch.tools.map((each) => each.name);
    answer(call.callId, call.problem ?? toolErrorText.unknownTool(call.name, names));
    impossible.push(call);
  }
  const plan = planToolBatch(
    executable.map(({ call, tool }) => ({ callId: call.callId, effect: tool.effect, session: tool.session })),
    batch.options,
    batch.remainingToolCalls,
  );
  for (const refusal of plan.refused) answer(refusal.callId, refusal.text);

  let executed = 0;
  let firstFailure: string | null = null;
  let failedAt: string | null = null;
  const outer = CancellationScope.current();
  const scope = new CancellationScope(); // all-or-nothing and the batch deadline cancel this one alone
  let timeUp = false;

  const runOne = async (callId: string): Promise<boolean> => {
    const { call, tool } = executable.find((each) => each.call.callId === callId)!;
    executed += 1;
    try {
      const outcome = await batch.execute(call, tool);
      answers.set(callId, {
        result: { callId, name: call.name, isError: outcome.isError, content: toContent(outcome) },
        failed: outcome.isError,
      });
      if (!outcome.isError) read.push(outcome);
      return !outcome.isError;
    } catch (error) {
      answer(
        callId,
        describe(fromTemporalFailure(error), tool, {
          userCancel: outer.consideredCancelled,
          timeUp,
          firstFailure,
          batch,
        }),
      );
      return false;
    }
  };

  const runStage = async (stage: Stage): Promise<void> => {
    const queue = [...stage.callIds];
    const lane = async () => {
      for (let callId = queue.shift(); callId !== undefined; callId = queue.shift()) {
        if (scope.consideredCancelled) {
          answer(callId, notStarted({ userCancel: outer.consideredCancelled, timeUp, firstFailure, batch }));
          continue;
        }
        const failedBefore = failedAt ?? impossibleBefore(callId);
        if (failedBefore !== null && stage.stopOnFailure) {
          answer(callId, toolErrorText.skipped(failedBefore));
          continue;
        }
        const name = byId.get(callId)!.name;
        if (await runOne(callId)) continue;
        failedAt ??= name;
        if (batch.options.onFailure === 'cancel-siblings' && !scope.consideredCancelled) {
          firstFailure = name;
          scope.cancel();
        }
      }
    };
    await Promise.all(Array.from({ length: Math.min(stage.maxConcurrency ?? queue.length, queue.length) }, lane));
  };

  const impossibleBefore = (callId: string): string | null => {
    const position = batch.calls.findIndex((call) => call.callId === callId);
    return impossible.find((call) => batch.calls.indexOf(call) < position)?.name ?? null;
  };

  const runStages = async () => {
    for (const stage of plan.stages) await runStage(stage);
  };
  if (batch.options.onFailure === 'cancel-siblings' && impossible.length > 0) {
    firstFailure = impossible[0]!.name;
    scope.cancel();
  }
  const { batchDeadline } = batch.options;
  await scope.run(async () => {
    if (batchDeadline === undefined) return runStages();
    await withDeadline(batchDeadline, runStages, () => {
      timeUp = true;
      scope.cancel();
    });
  });
  return { results: batch.calls.map((call) => answers.get(call.callId)!.result), executed, read, firstFailure };
}

function toContent({ text, ref }: ToolStepResult & { readonly text?: string }): ToolResult['content'] {
  return text === undefined ? { ref } : { text };
}

type Circumstances = {
  readonly userCancel: boolean;
  readonly timeUp: boolean;
  readonly firstFailure: string | null;
  readonly batch: ToolBatch;
};

function describe(failure: DecodedFailure, tool: ToolTraits, circumstances: Circumstances): string {
  switch (failure.kind) {
    case 'cancelled': {
      const details = failure.details[0] as { mayStillRun?: boolean } | undefined;
      return details?.mayStillRun ? toolErrorText.mayStillRun() : notStarted(circumstances);
    }
    case 'timed-out':
      // The worker went silent: a write may have happened, a read is merely missing.
      return tool.effect === 'write'
        ? toolErrorText.unknownOutcome()
        : toolErrorText.deadline(circumstances.batch.options.callDeadline / 1_000);
    case 'terminated':
      return toolErrorText.unknownOutcome();
    case 'failed':
      // A write whose answer could not be stored has been made all the same.
      return tool.effect === 'write' && ['INTERNAL', 'STORE_UNAVAILABLE'].includes(failure.failure.code)
        ? toolErrorText.unknownOutcome()
        : `The tool failed: ${failure.failure.message}`;
    default:
      return failure satisfies never;
  }
}

/** An automatic stop is worded differently from a person's: the model must not take one for the other (CASES B23). */
function notStarted({ userCancel, timeUp, firstFailure, batch }: Circumstances): string {
  if (userCancel) return batch.isTimeUp() ? toolErrorText.timeUp() : toolErrorText.cancelled();
  if (timeUp) return toolErrorText.batchDeadline((batch.options.batchDeadline ?? 0) / 1_000);
  if (firstFailure !== null) return toolErrorText.cancelledSibling(firstFailure);
  return toolErrorText.cancelled();
}
