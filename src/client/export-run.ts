/** A run to take away: read once from its histories, in the order in which a watcher is told. Needs no worker. */
import { exitCodeOfStatus } from '../contract/failure.ts';
import type { ExportFormat, Finding, RunExport } from '../contract/run-export.ts';
import type { SourceView } from '../contract/result.ts';
import type { RunEvent } from '../contract/run-view.ts';
import { readClaims, readText } from '../domain/projection/read-payload.ts';
import type { RunView } from '../domain/projection/run-state.ts';
import { toTreeOrder } from '../domain/subagent-tree.ts';
import { renderExport } from '../export/render-export.ts';
import type { ClientContext } from './client-context.ts';
import { describeRunExecution } from './execution.ts';
import { openRunReading } from './history/run-reading.ts';
import { orRecord } from './kept/or-record.ts';
import { readKeptExport } from './kept/read-kept-export.ts';
import { resolveResult } from './resolve-result.ts';
import { createCausalOrder } from './watch/causal-order.ts';
import { readLiveTexts } from './watch/live-overlay.ts';
import { createRunWatcher } from './watch/run-watcher.ts';

/** `RUN_NOT_FOUND`; `STORE_UNAVAILABLE` where the report is in a store that cannot be read. */
export async function exportRun(
  context: ClientContext,
  runId: string,
  format: ExportFormat,
  signal?: AbortSignal,
): Promise<string> {
  return renderExport(await readRunExport(context, runId, signal), format);
}

/** The run as it is now; one that goes on has no result, and its events end where it is. */
export async function readRunExport(context: ClientContext, runId: string, signal?: AbortSignal): Promise<RunExport> {
  return orRecord(
    context,
    runId,
    () => readFromServer(context, runId, signal),
    (record) => readKeptExport(context, record, signal),
  );
}

async function readFromServer(context: ClientContext, runId: string, signal?: AbortSignal): Promise<RunExport> {
  const execution = await describeRunExecution(context, runId, signal);
  const reading = openRunReading(context, runId, execution.firstRunId);
  const watcher = createRunWatcher(reading);
  const order = createCausalOrder((id, attempt) => reading.subagents.get(id)?.isLost(attempt) ?? false);
  const available = await reading.readAvailable({ signal });
  const events: RunEvent[] = [...watcher.fold(order.add(available)), ...watcher.fold(order.flush())];
  const view = watcher.view();
  const result = view.end === null ? null : await resolveResult(context, view, signal);
  if (result === null) watcher.setLive(await readLiveTexts(context, view, 0, signal));
  else {
    const { status } = result;
    events.push(watcher.event({ type: 'result', status, exitCode: exitCodeOfStatus[status], result }, true));
  }
  const run = watcher.description();
  return {
    type: 'export',
    runId,
    run,
    result,
    sources: toSources(result?.sources ?? [], events),
    findings: toFindings(view),
    budget: result?.budget ?? run.budget,
    events,
  };
}

/** Those of the result, then what else was read, each document once. */
function toSources(ofResult: readonly SourceView[], events: readonly RunEvent[]): SourceView[] {
  const sources = new Map(ofResult.map((source) => [source.id, source]));
  for (const event of events) {
    if (event.type !== 'source-found' || sources.has(event.source.id)) continue;
    sources.set(event.source.id, { ...event.source, by: event.subagentId ?? '' });
  }
  return [...sources.values()];
}

function toFindings(view: RunView): Finding[] {
  return toTreeOrder(view.subagents).flatMap(({ id: subagentId, outcome }) =>
    readClaims(outcome).map((claim, index) => ({
      id: `${subagentId}.${index + 1}`,
      subagentId,
      text: claim.text,
      sourceId: readText(claim, 'sourceId'),
      quote: readText(claim, 'quote'),
    })),
  );
}
