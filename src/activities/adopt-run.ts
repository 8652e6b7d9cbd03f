/** What a run takes over from another one: decided from that one's histories, kept in the store where it is long. */
import type { Adoption, AdoptResult, AdoptStep, LoadResumeStep } from '../contract/adopt.ts';
import { TributaryError } from '../contract/failure.ts';
import { resumeSchema, type Resume } from '../contract/resume.ts';
import type { RunRecord } from '../contract/run-record.ts';
import { decideAdoption, type AdoptionDecision } from '../domain/adoption/decide-adoption.ts';
import { listSubagents } from '../domain/list-subagents.ts';
import { noUsage } from '../domain/usage.ts';
import type { BlobStore } from '../store/blob-store.ts';
import { runCancellable } from './cancellable.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { getJson, putJson, requireStore } from './transcript.ts';

/** A result of an activity may have 2 MB: reports beyond this are in the store alone. */
const maxReportChars = 500_000;

export function createAdoptRunActivity(dependencies: ActivityDependencies) {
  return async function adoptRunActivity(step: AdoptStep): Promise<AdoptResult> {
    return runCancellable(async ({ signal }) => {
      const { store } = dependencies;
      await requireStore(store, step.storeId);
      const { runId, firstRunId } = step.origin;
      const record = await dependencies.readEndedRun({ runId, firstRunId }, signal);
      const { plan, subagents } = decideAdoption(record, step);
      if (subagents.some(({ kind }) => kind !== 'anew')) requireSameStore(record, step.storeId);
      return {
        spent: { ...record.result.usage, wallClockMs: 0 },
        plan: plan && [...plan],
        subagents: await keepAll(store, subagents),
        drafts: plan === null || record.storeId !== step.storeId ? [] : [...(record.result.drafts ?? [])],
        notes: [tellTaken(record.runId, subagents)],
      };
    });
  };
}

export function createLoadResumeActivity({ store }: ActivityDependencies) {
  return async function loadResumeActivity({ storeId, resumeRef }: LoadResumeStep): Promise<Resume> {
    return runCancellable(async () => {
      await requireStore(store, storeId);
      return resumeSchema.parse(await getJson(store, resumeRef));
    });
  };
}

async function keepAll(store: BlobStore, decisions: readonly AdoptionDecision[]): Promise<Adoption[]> {
  let chars = 0;
  return Promise.all(
    decisions.map(async (decision): Promise<Adoption> => {
      if (decision.kind === 'anew') return decision;
      if (decision.kind === 'continue') {
        const { resume, ...rest } = decision;
        return { ...rest, resumeRef: await putJson(store, resume) };
      }
      const { outcome } = decision;
      chars += JSON.stringify(outcome.report).length;
      const report = chars <= maxReportChars ? outcome.report : null;
      // It costs this run nothing: what it cost is in what was spent before.
      const paid = { usage: noUsage, turns: 0, toolCalls: 0, toolCallMessages: 0 };
      return { ...decision, outcome: { ...outcome, ...paid, report } };
    }),
  );
}

function requireSameStore({ runId, storeId }: RunRecord, found: string): void {
  if (storeId === null || storeId === found) return;
  throw new TributaryError(
    'STORE_MISMATCH',
    `what ${runId} has found is in store ${storeId}; this worker has store ${found}. Start the worker with the data directory of that run, or take over nothing but its plan with --reuse none`,
  );
}

function tellTaken(runId: string, decisions: readonly AdoptionDecision[]): string {
  const idsOf = (kind: AdoptionDecision['kind']) => decisions.filter((each) => each.kind === kind).map(({ id }) => id);
  const parts = [
    ['reused', idsOf('reuse')],
    ['gone on with', idsOf('continue')],
    ['done again', idsOf('anew')],
  ] as const;
  const told = parts.filter(([, ids]) => ids.length > 0).map(([what, ids]) => `${what}: ${listSubagents(ids)}`);
  return told.length === 0
    ? `it takes over ${runId}: nothing of its plan`
    : `it takes over ${runId}; ${told.join('; ')}`;
}
