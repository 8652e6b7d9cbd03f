/** The report: the most direct answer, then a section per subtask in plan order; no claim twice, every gap in words. */
import type { ModelTask, SynthesisInput } from '../../contract/model.ts';
import type { Claim } from '../../contract/outcome.ts';
import { toTerms } from '../../domain/language/to-terms.ts';
import { countTextTokens } from './count-tokens.ts';
import { isNearDuplicate } from './rank-sentences.ts';
import { toQuestionGoal } from './to-question-goal.ts';
import { toReadable } from './to-readable.ts';

type SynthesizeTask = Extract<ModelTask, { kind: 'synthesize' }>;
type CitedClaim = Claim & { readonly claimId: string; readonly terms: ReadonlySet<string>; readonly inputId: string };
type Titles = SynthesizeTask['titles'];

function toClaims({ id, report, claimIds }: SynthesisInput): CitedClaim[] {
  return (report?.claims ?? []).flatMap((claim, at) => {
    const claimId = claimIds[at];
    return claimId === undefined ? [] : [{ ...claim, claimId, terms: new Set(toTerms(claim.text)), inputId: id }];
  });
}

/** The claim that speaks of most words of the question, its title included; a subagent with the question as its goal goes before. */
function findLead({ question, inputs, titles }: SynthesizeTask, claims: readonly CitedClaim[]): CitedClaim | null {
  const direct = inputs.find(({ goal }) => goal === toQuestionGoal(question));
  // Where the question itself found nothing, nothing found beside it is its answer.
  if (direct) return claims.find(({ inputId }) => inputId === direct.id) ?? null;
  const asked = new Set(toTerms(question));
  const score = ({ terms, sourceId }: CitedClaim) =>
    [...new Set([...terms, ...toTerms(titles[sourceId] ?? '')])].filter((term) => asked.has(term)).length;
  return claims.reduce<CitedClaim | null>(
    (best, each) => (best === null || score(each) > score(best) ? each : best),
    null,
  );
}

const cite = ({ text, claimId }: CitedClaim) => `${toSentence(toReadable(text))} [${claimId}]`;
const toSentence = (text: string) => (/[.!?:;)"”'`]$/.test(text) ? text : `${text}.`);

/** One paragraph per source, which names it. */
function renderClaims(claims: readonly CitedClaim[], titles: Titles): string {
  const sources = [...new Set(claims.map(({ sourceId }) => sourceId))];
  return sources
    .map((source) => {
      const title = titles[source];
      const sentences = claims.filter(({ sourceId }) => sourceId === source).map(cite);
      return [...(title === undefined ? [] : [`*${title}*:`]), ...sentences].join(' ');
    })
    .join('\n\n');
}

const toReason = ({ status, reason }: SynthesisInput) => (reason === undefined ? status : `${status}, ${reason}`);

/** "Could not look" is never told as "looked and found nothing". */
function renderNothing(input: SynthesisInput, wasTold: boolean): string {
  if (wasTold) return 'Nothing beyond what is said above.';
  const isWhole = input.status === 'done' || input.status === 'reused';
  if (input.report === null) return `This could not be looked at (${toReason(input)}).`;
  if (!isWhole) return `Nothing was found before this stopped (${toReason(input)}).`;
  const couldNotLook = input.report.failed.length > 0;
  return couldNotLook
    ? `Nothing can be said here, since not all could be looked at: ${input.report.failed[0]!}.`
    : 'Nothing was found on this in the documents.';
}

function renderSection(
  input: SynthesisInput,
  claims: readonly CitedClaim[],
  hadClaims: boolean,
  titles: Titles,
): string {
  const body = claims.length > 0 ? renderClaims(claims, titles) : renderNothing(input, hadClaims);
  const isCut = claims.length > 0 && input.status !== 'done' && input.status !== 'reused';
  const note = isCut ? `\n\nThis part is incomplete (${toReason(input)}).` : '';
  return `## ${input.goal.replace(/\s+/g, ' ')}\n\n${body}${note}`;
}

/** Claims of the whole report in plan order, the first of several that say nearly the same. */
function dropRepeats(inputs: readonly SynthesisInput[]): CitedClaim[] {
  const kept: CitedClaim[] = [];
  for (const claim of inputs.flatMap(toClaims)) {
    if (!kept.some(({ quote, terms }) => quote === claim.quote || isNearDuplicate(terms, claim.terms)))
      kept.push(claim);
  }
  return kept;
}

/** Markdown with `[s1.2]` behind each sentence; claims are cut from the end where it would pass `maxOutputTokens`. */
export function writeReport(task: SynthesizeTask, maxOutputTokens: number): string {
  const claims = dropRepeats(task.inputs);
  for (let kept = claims.length; ; kept--) {
    const text = renderReport(task, claims.slice(0, kept));
    if (kept === 0 || countTextTokens(text) <= maxOutputTokens) return text;
  }
}

function renderReport(task: SynthesizeTask, claims: readonly CitedClaim[]): string {
  const found = findLead(task, claims);
  const isOnlyOne = claims.filter(({ inputId }) => inputId === found?.inputId).length === 1;
  // With nothing else to say its section would stand empty, so the claim stays there if it comes first anyway.
  const lead = found && !(isOnlyOne && claims[0] === found) ? found : null;
  const title = lead && task.titles[lead.sourceId];
  const where = title ? `The most direct answer is in **${title}**` : 'In short';
  const opening = lead ? [`${where}: ${cite(lead)}`] : [];
  const sections = task.inputs.map((input) => {
    const own = claims.filter((claim) => claim.inputId === input.id && claim !== lead);
    return renderSection(input, own, toClaims(input).length > 0, task.titles);
  });
  return [...opening, ...sections].join('\n\n') || 'Nothing was looked at.';
}
