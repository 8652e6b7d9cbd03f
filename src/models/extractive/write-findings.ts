/** The findings of a subagent: claims with exact quotes out of what it read, and what it tried and could not do. */
import type { Claim, SubagentReport } from '../../contract/outcome.ts';
import type { ReadText } from '../../domain/corpus-reading.ts';
import { chooseHits } from './choose-hits.ts';
import { countTextTokens } from './count-tokens.ts';
import { namesInQuotes } from './name-in-quotes.ts';
import type { RankedSentence } from './rank-sentences.ts';
import { isNearDuplicate, rankSentences } from './rank-sentences.ts';
import type { Progress } from './read-transcript.ts';
import { toReadable } from './to-readable.ts';

/** A sentence that is this much weaker than the best of its text, or than the best of all, has little to say. */
const minRelativeScore = 0.4;
const minShareOfBest = 0.2;
/** Claims by rank of the document: the best one has most to say. */
const claimsPerDocument = [3, 2, 1, 1, 1, 1, 1] as const;
/** When the goal names one document, or two, it is about those. */
const claimsOfNamed = [
  [5, 1],
  [3, 3],
] as const;
const quoteList = (items: readonly string[]) => items.map((item) => `"${item}"`).join(', ');

type Read = { readonly sourceId: string; readonly title: string };

/** What was read, once each: what the goal names first, then in the order in which searches ranked it. */
function orderDocuments(goal: string, { searches, readings }: Progress): Read[] {
  const ranks = new Map(chooseHits(searches).map(({ url }, rank) => [url, rank]));
  const rank = ({ url, title }: ReadText) => (namesInQuotes(goal, title) ? -1 : (ranks.get(url) ?? ranks.size));
  const ordered = [...readings].sort((a, b) => rank(a) - rank(b));
  return [...new Map(ordered.map(({ sourceId, title }) => [sourceId, { sourceId, title }])).values()];
}

/** How many claims each document may give, best first. */
function toShares(goal: string, documents: readonly Read[]): readonly number[] {
  const named = documents.filter(({ title }) => namesInQuotes(goal, title)).length;
  return claimsOfNamed[named - 1] ?? claimsPerDocument;
}

/** A document that has no sentence to give (a list, a table) is cited by its first line of words. */
function quoteFirstLine({ readings }: Progress, sourceId: string): Claim[] {
  const lines = readings.filter((reading) => reading.sourceId === sourceId).flatMap(({ body }) => body.split('\n'));
  const quote = lines.find((line) => /\p{L}{3}/u.test(line) && !/^(#|```)/.test(line))?.trim();
  return quote === undefined ? [] : [{ text: toReadable(quote), sourceId, quote }];
}

const toClaim = ({ sourceId, quote }: RankedSentence): Claim => ({ text: toReadable(quote), sourceId, quote });

/** The best sentences of the best documents, no two of which say nearly the same. */
function chooseClaims(goal: string, question: string, progress: Progress): Claim[] {
  const documents = orderDocuments(goal, progress);
  const ranked = rankSentences(progress.readings, { goal, question });
  const chosen: RankedSentence[] = [];
  const claims: Claim[] = [];
  for (const [at, share] of toShares(goal, documents).slice(0, documents.length).entries()) {
    const { sourceId } = documents[at]!;
    const own = ranked.filter((each) => each.sourceId === sourceId);
    const least = Math.max(minRelativeScore * (own[0]?.score ?? 0), minShareOfBest * (ranked[0]?.score ?? 0));
    const taken: RankedSentence[] = [];
    for (const sentence of own) {
      if (taken.length >= share || sentence.score < least) break;
      if (![...chosen, ...taken].some(({ terms }) => isNearDuplicate(terms, sentence.terms))) taken.push(sentence);
    }
    chosen.push(...taken);
    // The best sentence of the best document opens; the others read in the order in which they stand.
    const opening = at === 0 ? taken.slice(0, 1) : [];
    const others = taken.slice(opening.length).sort((a, b) => a.position - b.position);
    claims.push(
      ...(at === 0 && taken.length === 0 ? quoteFirstLine(progress, sourceId) : [...opening, ...others].map(toClaim)),
    );
  }
  return claims;
}

function summarize(claims: readonly Claim[], { searches, readings, failures }: Progress): string {
  const queries = quoteList(searches.map(({ query }) => query));
  const titles = [...new Map(readings.map(({ sourceId, title }) => [sourceId, title]))];
  const cited = titles.filter(([id]) => claims.some(({ sourceId }) => sourceId === id)).map(([, title]) => title);
  if (claims.length > 0) return `Found ${claims.length} statements in ${quoteList(cited)}.`;
  const couldNotLook = searches.length === 0 || searches.every(({ hits }) => hits === null);
  if (couldNotLook) return `The documents could not be looked at${failures.length > 0 ? `: ${failures[0]}` : ''}.`;
  const hasHits = chooseHits(searches).length > 0;
  if (hasHits && readings.length === 0)
    return `Searched for ${queries}; the documents that were found could not be read.`;
  return `Searched for ${queries} and found nothing that bears on it.`;
}

/** Cuts from the end until the JSON fits: claims first, then what was tried and what failed. */
function fit(report: SubagentReport, maxTokens: number): string {
  const [claims, tried, failed] = [[...report.claims], [...report.tried], [...report.failed]];
  const render = () => JSON.stringify({ summary: report.summary, claims, tried, failed });
  while (countTextTokens(render()) > maxTokens) {
    const list = claims.length > 1 ? claims : tried.length > 0 ? tried : failed.length > 0 ? failed : claims;
    if (list.length === 0) return JSON.stringify({ summary: '', claims, tried, failed });
    list.pop();
  }
  return render();
}

/** A `SubagentReport` as JSON. `goal` is what the claims answer, `question` what the whole run asks. */
export function writeFindings(
  task: { goal: string; question: string },
  progress: Progress,
  maxOutputTokens: number,
): string {
  const claims = chooseClaims(task.goal, task.question, progress);
  const titles = new Set(progress.readings.map(({ title }) => title));
  return fit(
    {
      summary: summarize(claims, progress),
      claims,
      tried: [
        ...progress.searches.map(({ query }) => `searched for "${query}"`),
        ...[...titles].map((title) => `read "${title}"`),
      ],
      failed: [...progress.failures],
    },
    maxOutputTokens,
  );
}
