/** The least that a run plausibly needs and the most that its request allows it, from the request alone. */
import type { Estimate, Range } from '../contract/estimate.ts';
import type { Rates } from '../contract/price.ts';
import type { ResearchRequest } from '../contract/request.ts';
import { boundMicroUsd, fromMicroUsd, toMicroUsd } from './money.ts';
import { boundOpeningReservation } from './reservation.ts';
import { utf8Bytes } from './text.ts';

/** The most that a token costs, by role; `null` where the price is not known. A run without planning has no planner. */
export type RunRates = {
  readonly planner?: Rates | null;
  readonly subagent: Rates | null;
  readonly synthesis: Rates | null;
};

/** What little work takes: our own prompts, a short reply, and the result of a tool that found little. */
const little = { promptTokens: 500, replyTokens: 100, resultTokens: 250 };
const bytesPerToken = 4;
/** A plan that cannot be used is asked for again, with an outline of the corpus each time. */
const planning = { attempts: 3, outlineBytes: 12_000, goalBytes: 4_000 };
/** Twice the usual: a reply of many long words. */
const replyBytesPerToken = 8;
/** Most bytes of a UTF-16 unit in UTF-8. */
const bytesPerChar = 3;

/** Tokens of one role over a run, and how many of them may be output. */
type Work = { readonly rates: Rates | null; readonly tokens: number; readonly output: number };

export function estimateBounds(request: ResearchRequest, rates: RunRates): Estimate {
  const { budget, subtasks } = request;
  const most = subtasks?.length ?? request.maxSubagents;
  // A plain question is planned as one subtask.
  const subagents = { low: subtasks ? most : 1, high: most };
  const toolCalls = boundToolCalls(request, subagents);
  const least = leastWork(request, rates, subagents.low);
  const allowed = mostWork(request, rates, { subagents: subagents.high, toolCalls: toolCalls.high });
  const tokens = toRange(sumTokens(least), Math.min(sumTokens(allowed), budget.tokens));
  return {
    subagents,
    tokens,
    usd: priceWork(least, allowed, budget),
    toolCalls,
    wallClockMs: null,
    basis: { kind: 'bounds' },
  };
}

/** One call each, in runs that have tools at all. The last turn of a subagent is without tools. */
function boundToolCalls(request: ResearchRequest, subagents: Range): Range {
  const { budget, tools, maxTurns } = request;
  const hasTools = request.corpus !== undefined || request.web !== undefined;
  if (!hasTools || maxTurns === 1) return { low: 0, high: 0 };
  // Calls beyond the cap of a turn run in further batches, unless they are sent back.
  const isCapped = !tools.parallelToolCalls || tools.overflow === 'reject';
  const perTurn = tools.parallelToolCalls ? tools.maxToolCallsPerTurn : 1;
  const high = isCapped ? subagents.high * (maxTurns - 1) * perTurn : budget.toolCalls;
  return toRange(subagents.low, Math.min(high, budget.toolCalls));
}

/** Per subagent one turn with a tool and one with the answer; one call for the plan and one for the report. */
function leastWork(request: ResearchRequest, rates: RunRates, subagents: number): Work[] {
  const { promptTokens, replyTokens, resultTokens } = little;
  const opening = promptTokens + Math.ceil(openingBytes(request) / bytesPerToken);
  const turns = boundToolCalls(request, { low: 1, high: 1 }).low + 1;
  const again = (turns - 1) * (opening + replyTokens + resultTokens);
  return [
    ...planWork(rates, { tokens: opening + replyTokens, output: replyTokens }),
    {
      rates: rates.subagent,
      tokens: subagents * (opening + again + turns * replyTokens),
      output: subagents * turns * replyTokens,
    },
    { rates: rates.synthesis, tokens: opening + (subagents + 1) * replyTokens, output: replyTokens },
  ];
}

/** As what is set aside for them: calls at their safe bounds, transcripts that grow by everything that they may. */
function mostWork(
  request: ResearchRequest,
  rates: RunRates,
  most: { readonly subagents: number; readonly toolCalls: number },
): Work[] {
  const { maxOutputTokens, maxTurns, tools, budget } = request;
  const bytes = openingBytes(request);
  const { attempts, outlineBytes, goalBytes } = planning;
  const planner = boundOpeningReservation(bytes + outlineBytes, maxOutputTokens);
  // A later turn reads all earlier replies and results again.
  const replies = (maxOutputTokens * maxTurns * (maxTurns - 1)) / 2;
  const results = most.toolCalls * tools.maxOutputChars * bytesPerChar * (maxTurns - 1);
  const turns = maxTurns * boundOpeningReservation(bytes + goalBytes, maxOutputTokens) + replies + results;
  const perSubagent = Math.min(turns, request.subagentTokens ?? budget.tokens);
  const reports = most.subagents * maxOutputTokens * replyBytesPerToken;
  return [
    ...planWork(rates, { tokens: attempts * planner, output: attempts * maxOutputTokens }),
    {
      rates: rates.subagent,
      tokens: most.subagents * perSubagent,
      output: most.subagents * maxTurns * maxOutputTokens,
    },
    {
      rates: rates.synthesis,
      tokens: boundOpeningReservation(bytes + reports, maxOutputTokens),
      output: maxOutputTokens,
    },
  ];
}

function planWork({ planner }: RunRates, work: Omit<Work, 'rates'>): Work[] {
  return planner === undefined ? [] : [{ rates: planner, ...work }];
}

/** At the dearest prices of each model; never more than the limit, or than all tokens of the budget as the dearest. */
function priceWork(least: readonly Work[], most: readonly Work[], budget: ResearchRequest['budget']): Range | null {
  const known = most.flatMap(({ rates }) => rates ?? []);
  if (known.length < most.length) return null;
  const price = (work: readonly Work[]) =>
    work.reduce((sum, { rates, tokens, output }) => sum + boundMicroUsd(tokens, output, rates ?? undefined), 0);
  const dearest = {
    input: Math.max(...known.map(({ input }) => input)),
    output: Math.max(...known.map(({ output }) => output)),
  };
  const output = most.reduce((sum, work) => sum + work.output, 0);
  const limit = budget.usd === undefined ? Infinity : toMicroUsd(budget.usd);
  const high = Math.min(price(most), boundMicroUsd(budget.tokens, output, dearest), limit);
  const { low } = toRange(price(least), high);
  return { low: fromMicroUsd(low), high: fromMicroUsd(high) };
}

function openingBytes({ question, instructions }: ResearchRequest): number {
  return utf8Bytes(question) + utf8Bytes(instructions ?? '');
}

const sumTokens = (work: readonly Work[]) => work.reduce((sum, { tokens }) => sum + tokens, 0);
/** A budget may be less than even little work takes. */
const toRange = (low: number, high: number): Range => ({ low: Math.min(low, high), high });
