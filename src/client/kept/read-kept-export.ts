/** A run to take away whose history is gone: what was kept of it. Of its events, how it was and its result. */
import type { Finding, RunExport } from '../../contract/run-export.ts';
import type { RunRecord, SubagentRecord } from '../../contract/run-record.ts';
import type { RunEvent } from '../../contract/run-view.ts';
import { toDescriptionOfRecord } from '../../domain/projection/describe-record.ts';
import type { ClientContext } from '../client-context.ts';
import { resolveRecorded } from '../resolve-result.ts';
import { cursorOfRecord, watchRecord } from '../watch/watch-record.ts';

/** `STORE_UNAVAILABLE` where the report is in a store that cannot be read. */
export async function readKeptExport(
  context: ClientContext,
  record: RunRecord,
  signal?: AbortSignal,
): Promise<RunExport> {
  const result = await resolveRecorded(context, record.result, signal);
  const events: RunEvent[] = [];
  for await (const event of watchRecord(context, record, { ...(signal && { signal }) })) events.push(event);
  return {
    type: 'export',
    runId: record.runId,
    run: toDescriptionOfRecord(record, cursorOfRecord(record, true)),
    result,
    sources: result.sources,
    findings: record.subagents.flatMap(toFindings),
    budget: result.budget,
    events,
  };
}

function toFindings({ id: subagentId, outcome }: SubagentRecord): Finding[] {
  return (outcome.report?.claims ?? []).map(({ text, sourceId, quote }, index) => ({
    ...{ id: `${subagentId}.${index + 1}`, subagentId, text, sourceId, quote },
  }));
}
