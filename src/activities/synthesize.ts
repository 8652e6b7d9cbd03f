/** Writes the report from the subagents' findings, checks every quote against what was read, and stores the document. */
import { defaults } from '../contract/defaults.ts';
import { storedReportSchema, type Source, type StoredReport } from '../contract/outcome.ts';
import type { SynthesisInput } from '../contract/model.ts';
import type { ReportDocument, SourceView } from '../contract/result.ts';
import type { SynthesisStep, SynthesisStepResult } from '../contract/steps.ts';
import { assembleBody } from '../domain/assemble.ts';
import { canonicalJson } from '../domain/canonical-json.ts';
import { numberCitations, quoteStandsIn, type CitableClaim } from '../domain/citations.ts';
import { compactReport, renderReport } from '../domain/report.ts';
import { cleanText } from '../domain/text.ts';
import { toApplicationFailure } from '../temporal/failure-codec.ts';
import type { Model, ModelRequest } from '../models/model.ts';
import type { BlobStore } from '../store/blob-store.ts';
import { runCancellable } from './cancellable.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { ModelAttempts } from './model-attempts.ts';
import { synthesisMessages } from './prompts.ts';
import { storePatiently } from './store-patiently.ts';
import { getJson, putJson, requireStore } from './transcript.ts';

/** Sizes that reports are trimmed to, one after the other, until the prompt fits. */
const trimTokens = [1_500, 1_000, 600, 300, 150];

type Loaded = { readonly inputs: SynthesisInput[]; readonly sources: (Source & { by: string })[] };

export function createSynthesizeActivity(dependencies: ActivityDependencies) {
  return async function synthesizeActivity(step: SynthesisStep): Promise<SynthesisStepResult> {
    let attempts: ModelAttempts | undefined;
    return runCancellable(
      async (frame) => {
        attempts = new ModelAttempts(
          frame,
          step,
          (usage) => dependencies.priceUsage(step, usage),
          dependencies.buckets,
        );
        const { store } = dependencies;
        await requireStore(store, step.storeId);
        const loaded = await loadReports(store, step);
        const notes: string[] = [];
        const body = step.withoutModel ? null : await askModel(dependencies, step, loaded, attempts, notes);
        if (body === null) notes.push('the report was assembled from the findings without a model');
        const document = await toDocument(store, step, loaded, body ?? assembleBody(loaded.inputs), notes);
        const documentRef = await storePatiently(frame.signal, () => putJson(store, document));
        return {
          documentRef,
          document: documentRef.bytes <= defaults.maxInlineBytes ? document : null,
          notes,
          usage: attempts.usage(),
        };
      },
      () => attempts?.detailsOnEnd() ?? [],
    );
  };
}

async function loadReports(store: BlobStore, step: SynthesisStep): Promise<Loaded> {
  const stored = await Promise.all(
    step.subagents.map(async ({ reportRef }): Promise<StoredReport | null> =>
      reportRef ? storedReportSchema.parse(await getJson(store, reportRef)) : null,
    ),
  );
  const inputs = step.subagents.map(({ id, goal, status, reason }, index): SynthesisInput => {
    const report = stored[index]?.report ?? null;
    return {
      id,
      goal,
      status,
      ...(reason && { reason }),
      report,
      claimIds: toClaimIds(id, report?.claims.length ?? 0),
    };
  });
  const sources = step.subagents.flatMap(({ id }, index) =>
    (stored[index]?.sources ?? []).map((source) => ({ ...source, by: id })),
  );
  return { inputs, sources };
}

/** The draft, or `null` where no prompt fits what is left. Reports are trimmed before the whole is given up. */
async function askModel(
  dependencies: ActivityDependencies,
  step: SynthesisStep,
  loaded: Loaded,
  attempts: ModelAttempts,
  notes: string[],
): Promise<string | null> {
  const model = await dependencies.openModel(step);
  const titles = Object.fromEntries(loaded.sources.map((source) => [source.id, source.title]));
  for (const maxTokens of [Number.POSITIVE_INFINITY, ...trimTokens]) {
    const inputs = loaded.inputs.map((input) => trim(input, maxTokens));
    const fitted = await attempts.fit(model, toRequest(step, inputs, titles));
    if (fitted.kind === 'does-not-fit') continue;
    const trimmed = inputs
      .filter((input, index) => input.report !== loaded.inputs[index]!.report)
      .map((input) => input.id);
    if (trimmed.length > 0)
      notes.push(`the findings of ${trimmed.join(', ')} were trimmed to ${maxTokens} tokens each to fit the budget`);
    return replyText(model, fitted.request, fitted.requestTokens, attempts);
  }
  return null;
}

async function replyText(
  model: Model,
  request: ModelRequest,
  requestTokens: number,
  attempts: ModelAttempts,
): Promise<string> {
  const reply = await attempts.request(model, request, requestTokens);
  const text = cleanText(reply.text).trim();
  if (reply.finish === 'stop' && text !== '') return text;
  // Paid for and of no use: a refusal or half of a text must not pass for the report, and a repeat would say the same.
  const how = reply.finish === 'stop' ? 'without a text' : `with "${reply.rawFinish ?? reply.finish}"`;
  throw toApplicationFailure(
    { code: 'MODEL_BAD_RESPONSE', message: `the answer ended ${how}` },
    { nonRetryable: true, details: [attempts.usage()] },
  );
}

function toRequest(
  step: SynthesisStep,
  inputs: readonly SynthesisInput[],
  titles: Readonly<Record<string, string>>,
): ModelRequest {
  return {
    task: { kind: 'synthesize', question: step.question, inputs, titles },
    messages: synthesisMessages({ ...step, inputs }),
    tools: [],
    toolChoice: 'none',
    parallelToolCalls: true,
    maxOutputTokens: step.maxOutputTokens,
  };
}

/** The same input with a smaller report, or the same object where it was small enough. */
function trim(input: SynthesisInput, maxTokens: number): SynthesisInput {
  if (!input.report || !Number.isFinite(maxTokens)) return input;
  const report = compactReport(input.report, maxTokens);
  if (canonicalJson(report) === canonicalJson(input.report)) return input;
  return { ...input, report, claimIds: input.claimIds.slice(0, report.claims.length) };
}

async function toDocument(
  store: BlobStore,
  step: SynthesisStep,
  loaded: Loaded,
  draft: string,
  notes: string[],
): Promise<ReportDocument> {
  const claims: Record<string, CitableClaim> = {};
  const texts = await readContents(store, loaded.sources);
  for (const input of loaded.inputs) {
    for (const [index, claim] of (input.report?.claims ?? []).entries()) {
      const verified = (texts.get(claim.sourceId) ?? []).some((text) => quoteStandsIn(claim.quote, text));
      claims[input.claimIds[index]!] = { sourceId: claim.sourceId, quote: claim.quote, verified };
    }
  }
  const { text, citations, unknown } = numberCitations(draft, claims);
  if (unknown.length > 0) notes.push(`the draft cited ${unknown.join(', ')}, which no subagent found`);
  const sources = toSourceViews(loaded.sources);
  const report = renderReport({
    question: step.question,
    body: text,
    citations,
    sources,
    gaps: step.gaps,
    notes: [...step.notes, ...notes],
  });
  return { report, citations, sources };
}

/** What was read of each source, by source id. */
async function readContents(store: BlobStore, sources: readonly Source[]): Promise<Map<string, string[]>> {
  const decoder = new TextDecoder();
  const hashes = new Map<string, Set<string>>();
  for (const source of sources) {
    const known = hashes.get(source.id) ?? new Set<string>();
    source.contents.forEach((ref) => known.add(ref.hash));
    hashes.set(source.id, known);
  }
  const texts = new Map<string, string[]>();
  for (const [id, known] of hashes) {
    texts.set(id, await Promise.all([...known].map(async (hash) => decoder.decode(await store.get(hash)))));
  }
  return texts;
}

/** Each source once, by the first subagent in plan order that read it. */
function toSourceViews(sources: readonly (Source & { by: string })[]): SourceView[] {
  const views = new Map<string, SourceView>();
  for (const { id, url, title, by } of sources) if (!views.has(id)) views.set(id, { id, url, title, by });
  return [...views.values()];
}

function toClaimIds(subagentId: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${subagentId}.${index + 1}`);
}
