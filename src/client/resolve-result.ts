/** The result of a closed run, with its report fetched from the store where the history holds only the reference. */
import { TributaryError, exitCodeOfStatus, failureCodeOf } from '../contract/failure.ts';
import { type RecordedResult, type ReportDocument, reportDocumentSchema, type RunResult } from '../contract/result.ts';
import { toRecordedResult } from '../domain/projection/recorded-result.ts';
import type { RunView } from '../domain/projection/run-state.ts';
import type { ClientContext } from './client-context.ts';

/** `STORE_UNAVAILABLE` where the report is in a store that this client cannot read. */
export async function resolveResult(context: ClientContext, view: RunView, signal?: AbortSignal): Promise<RunResult> {
  return resolveRecorded(context, toRecordedResult(view), signal);
}

export async function resolveRecorded(
  context: ClientContext,
  recorded: RecordedResult,
  signal?: AbortSignal,
): Promise<RunResult> {
  const document = recorded.document ?? (await readDocument(context, recorded, signal));
  return toRunResult(recorded, document);
}

/** The same document for every way a run can end; `report: null` where there is none. */
export function toRunResult(recorded: RecordedResult, document: ReportDocument | null): RunResult {
  const {
    runId,
    status,
    question,
    gaps,
    notes,
    usage,
    origin,
    budget,
    toolCallsPerMessage,
    subagents,
    drafts,
    failure,
    cancel,
  } = recorded;
  return {
    type: 'result',
    runId,
    status,
    exitCode: exitCodeOfStatus[status],
    question,
    report: document?.report ?? null,
    citations: document?.citations ?? [],
    sources: document?.sources ?? [],
    gaps,
    notes,
    usage,
    ...(origin && { origin }),
    budget,
    toolCallsPerMessage,
    subagents,
    ...(drafts && { drafts }),
    ...(failure && { failure }),
    ...(cancel && { cancel }),
  };
}

async function readDocument(
  { readBlob }: ClientContext,
  { runId, documentRef }: RecordedResult,
  signal?: AbortSignal,
): Promise<ReportDocument | null> {
  if (!documentRef) return null;
  const what = `the report of ${runId} is the blob ${documentRef.hash} (${documentRef.bytes} bytes) of the run's store`;
  if (!readBlob) {
    throw new TributaryError('STORE_UNAVAILABLE', `${what}, and this client has no store: give it one with readBlob`);
  }
  signal?.throwIfAborted();
  try {
    const bytes = await readBlob(documentRef.hash);
    return reportDocumentSchema.parse(JSON.parse(Buffer.from(bytes).toString('utf8')));
  } catch (error) {
    if (failureCodeOf(error) === 'STORE_UNAVAILABLE') throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new TributaryError('STORE_UNAVAILABLE', `${what}, and it could not be read there: ${why}`, { cause: error });
  }
}
