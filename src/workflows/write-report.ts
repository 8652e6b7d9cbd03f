/** The last step of a run: the report, paid from its reserve. If no model can write it, it is assembled without one. */
import type { FailureCode } from '../contract/failure.ts';
import type { RecordedResult, ReportDocument } from '../contract/result.ts';
import type { SynthesisStepResult } from '../contract/steps.ts';
import type { BlobRef } from '../contract/transcript.ts';
import { fromTemporalFailure } from '../temporal/failure-codec.ts';
import { callModel } from './activity-stubs.ts';
import { callSynthesis, toSynthesisDraft, type SynthesisDraft } from './call-synthesis.ts';
import type { RunState } from './run-state.ts';

export type WrittenReport = {
  readonly document: ReportDocument | null;
  readonly documentRef: BlobRef;
  /** Why the model did not write it; the findings are in it all the same. */
  readonly failure?: RecordedResult['failure'];
};

export async function writeReport(
  run: RunState,
  storeId: string,
  notNeeded: readonly string[],
): Promise<WrittenReport> {
  const step = toSynthesisDraft(run, storeId, notNeeded);
  run.openSynthesisReserve();
  try {
    const result = await callSynthesis(run, step, 'synthesis');
    return result ? keep(run, result) : await assemble(run, step);
  } catch (error) {
    const failure = toModelFailure(error);
    if (!failure) throw error;
    run.notes.push(`the model that writes the report failed (${failure.code}): ${failure.message}`);
    return { ...(await assemble(run, step)), failure };
  }
}

/** Why the model did not write the report; `null` where something else went wrong, or the run was cancelled. */
function toModelFailure(error: unknown): { code: FailureCode; message: string } | null {
  const decoded = fromTemporalFailure(error);
  if (decoded.kind === 'timed-out') return { code: 'MODEL_NETWORK', message: 'the model call did not end in time' };
  if (decoded.kind !== 'failed' || !decoded.failure.code.startsWith('MODEL_')) return null;
  const { code, message } = decoded.failure;
  return { code, message };
}

async function assemble(run: RunState, step: SynthesisDraft): Promise<WrittenReport> {
  const bounds = { maxSpendTokens: 1, attempts: 1 }; // not a request is made
  const { synthesizeActivity } = callModel({});
  return keep(
    run,
    await synthesizeActivity.executeWithOptions({ summary: 'the report, without a model' }, [
      { ...step, ...bounds, notes: run.notes, withoutModel: true },
    ]),
  );
}

function keep(run: RunState, result: SynthesisStepResult): WrittenReport {
  run.notes.push(...result.notes);
  return { document: result.document, documentRef: result.documentRef };
}
