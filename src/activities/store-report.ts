/** Keeps a subagent's whole report. A claim about a source that was not read does not get past this point (R7.5). */
import type { StoredReport } from '../contract/outcome.ts';
import type { StoreReportStep } from '../contract/steps.ts';
import type { BlobRef } from '../contract/transcript.ts';
import { runCancellable } from './cancellable.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { putJson, requireStore } from './transcript.ts';

export type StoreReportResult = { readonly report: StoredReport['report']; readonly reportRef: BlobRef };

export function createStoreReportActivity(dependencies: ActivityDependencies) {
  return async function storeReportActivity(step: StoreReportStep): Promise<StoreReportResult> {
    return runCancellable(async () => {
      await requireStore(dependencies.store, step.storeId);
      const read = new Set(step.sources.map((source) => source.id));
      const claims = step.report.claims.filter((claim) => read.has(claim.sourceId));
      const dropped = step.report.claims.length - claims.length;
      const failed =
        dropped === 0
          ? step.report.failed
          : [
              ...step.report.failed,
              `${dropped} ${dropped === 1 ? 'claim' : 'claims'} named a source that was not read`,
            ];
      const report = { ...step.report, claims, failed };
      return { report, reportRef: await putJson(dependencies.store, { report, sources: step.sources }) };
    });
  };
}
