/** Keeps a subagent's whole report. A claim about a source that was not read does not get past this point (R7.5). */
import { defaults } from '../contract/defaults.ts';
import {
  storedReportSchema,
  subagentReportSchema,
  type Source,
  type StoredReport,
  type SubagentReport,
} from '../contract/outcome.ts';
import type { StoreReportStep } from '../contract/steps.ts';
import type { BlobRef } from '../contract/transcript.ts';
import { compactReport } from '../domain/report.ts';
import type { BlobStore } from '../store/blob-store.ts';
import { runCancellable } from './cancellable.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { getJson, putJson, requireStore } from './transcript.ts';

export type StoreReportResult = { readonly report: StoredReport['report']; readonly reportRef: BlobRef };

export function createStoreReportActivity(dependencies: ActivityDependencies) {
  return async function storeReportActivity(step: StoreReportStep): Promise<StoreReportResult> {
    return runCancellable(async () => {
      await requireStore(dependencies.store, step.storeId);
      const sources = await withSourcesBelow(dependencies.store, step);
      const read = new Set(sources.map((source) => source.id));
      const handed = await openReport(dependencies.store, step);
      const claims = handed.claims.filter((claim) => read.has(claim.sourceId));
      const dropped = handed.claims.length - claims.length;
      const failed =
        dropped === 0
          ? handed.failed
          : [...handed.failed, `${dropped} ${dropped === 1 ? 'claim' : 'claims'} named a source that was not read`];
      const report = { ...handed, claims, failed };
      // What a parent may see at most: the whole of it is in the store.
      return {
        report: compactReport(report, defaults.reportTokens),
        reportRef: await putJson(dependencies.store, { report, sources }),
      };
    });
  };
}

async function openReport(store: BlobStore, { report, reportRef }: StoreReportStep): Promise<SubagentReport> {
  if (report) return report;
  if (reportRef) return subagentReportSchema.parse(await getJson(store, reportRef));
  throw new Error('wanted a report or a reference to one, came neither');
}

/** Its own sources, and those of the subagents that it started: their claims may be in its report. */
async function withSourcesBelow(store: BlobStore, { sources, below = [] }: StoreReportStep): Promise<Source[]> {
  const reports = await Promise.all(below.map(async (ref) => storedReportSchema.parse(await getJson(store, ref))));
  const merged = new Map<string, Source>();
  for (const source of [...sources, ...reports.flatMap((each) => each.sources)]) {
    const contents = [...(merged.get(source.id)?.contents ?? []), ...source.contents];
    merged.set(source.id, { ...source, ...merged.get(source.id), contents });
  }
  return [...merged.values()];
}
