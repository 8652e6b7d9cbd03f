/** What a join makes of the outcomes: when to stop waiting, how the run ended, and which answers are missing. */
import type { OutcomeStatus, SubagentOutcome } from '../contract/outcome.ts';
import type { JoinOptions } from '../contract/request.ts';
import type { Gap } from '../contract/result.ts';
import { formatCount } from './text.ts';

export type Arrived = Pick<SubagentOutcome, 'id' | 'status' | 'reason'>;

export type StopDecision =
  { readonly kind: 'wait' } | { readonly kind: 'stop'; readonly why: 'failed' | 'enough' | 'unreachable' };

export type JoinVerdict = {
  readonly status: 'completed' | 'partial' | 'failed';
  /** One sentence for people that names the failing subagents first. */
  readonly message: string;
  /** Losers of `first`, cancelled since enough were found: not gaps. */
  readonly notNeeded: readonly string[];
};

/** A message that lists a thousand failures helps nobody, and does not fit into a failure. */
const maxNamed = 10;

/** `true` for outcomes that hold an answer, if only a part of one: `done`, `reused`, `partial`. */
export function isUsable(status: OutcomeStatus): boolean {
  return status === 'done' || status === 'reused' || status === 'partial';
}

/**
 * Usable outcomes that a join wants of `planned` subagents: a share is rounded up and is at least 1; a count is taken as
 * it is, so one above `planned` can never be met.
 */
export function neededSuccesses(minSuccess: JoinOptions['minSuccess'], planned: number): number {
  if (typeof minSuccess === 'number') return minSuccess;
  const percent = Number(minSuccess.slice(0, -1));
  return Math.max(1, Math.ceil((percent * planned) / 100));
}

/**
 * Asked after each arrival: go on waiting, or cancel what still runs? `all` stops at the first failure, `first` when
 * enough have succeeded or can no longer succeed. `partial` never stops early: late answers still count.
 */
export function decideStop(join: JoinOptions, planned: number, arrived: readonly Arrived[]): StopDecision {
  switch (join.kind) {
    case 'all':
      return arrived.every((outcome) => isUsable(outcome.status)) ? { kind: 'wait' } : { kind: 'stop', why: 'failed' };
    case 'first': {
      const needed = neededSuccesses(join.minSuccess, planned);
      const usable = countUsable(arrived);
      if (usable >= needed) return { kind: 'stop', why: 'enough' };
      const open = planned - arrived.length;
      return usable + open < needed ? { kind: 'stop', why: 'unreachable' } : { kind: 'wait' };
    }
    case 'partial':
      return { kind: 'wait' };
    default:
      return join.kind satisfies never;
  }
}

/**
 * How the run ended, by the table of the join policies. `outcomes` are in spawn order, one per subagent that was planned;
 * one that is missing counts as not answered. `deadlinePassed`: the deadline ended the wait; `finalized`: a person asked
 * for the report, which makes what is not whole `partial`. Nothing usable is `failed` under every policy.
 */
export function judgeJoin(
  join: JoinOptions,
  planned: number,
  outcomes: readonly Arrived[],
  context: { readonly deadlinePassed: boolean; readonly finalized?: boolean },
): JoinVerdict {
  const usable = countUsable(outcomes);
  const needed = neededSuccesses(join.minSuccess, planned);
  const isWhole =
    outcomes.length >= planned && outcomes.every(({ status }) => status === 'done' || status === 'reused');
  const notNeeded =
    join.kind === 'first' && usable >= needed ? outcomes.filter(isLoser).map((outcome) => outcome.id) : [];
  const status = usable === 0 ? 'failed' : context.finalized && !isWhole ? 'partial' : toStatus();
  return { status, message: describe(), notNeeded };

  function toStatus(): JoinVerdict['status'] {
    switch (join.kind) {
      case 'all':
        if (context.deadlinePassed || usable < planned) return 'failed';
        return isWhole ? 'completed' : 'partial';
      case 'partial':
        if (usable < needed) return 'failed';
        return isWhole ? 'completed' : 'partial';
      case 'first':
        if (usable >= needed) return 'completed';
        return context.deadlinePassed ? 'partial' : 'failed';
      default:
        return join.kind satisfies never;
    }
  }

  function describe(): string {
    const parts: string[] = [];
    if (context.deadlinePassed && !isWhole) parts.push('the deadline passed');
    if (context.finalized && !isWhole) parts.push('finalized by a person');
    const lost = listLost(outcomes.filter((outcome) => !isUsable(outcome.status) && !notNeeded.includes(outcome.id)));
    if (lost !== '') parts.push(lost);
    const wanted = join.kind !== 'all' && usable < needed ? `, ${formatCount(needed)} needed` : '';
    parts.push(`${formatCount(usable)} of ${formatCount(planned)} usable${wanted}`);
    if (notNeeded.length > 0) parts.push(`${formatCount(notNeeded.length)} not needed`);
    return `join ${join.kind}: ${parts.join('; ')}`;
  }
}

/** Every outcome that is no full answer and was needed, in the order given. */
export function toGaps(
  outcomes: readonly (Arrived & { readonly goal: string })[],
  notNeeded: readonly string[],
): Gap[] {
  return outcomes
    .filter(({ id, status }) => status !== 'done' && status !== 'reused' && !notNeeded.includes(id))
    .map(({ id, goal, status, reason }) => ({ subagentId: id, goal, status, ...(reason && { reason }) }));
}

function countUsable(outcomes: readonly Arrived[]): number {
  return outcomes.filter((outcome) => isUsable(outcome.status)).length;
}

/** Stopped, or never started, by the join itself; one that an operator cancelled is no loser. */
function isLoser({ status, reason }: Arrived): boolean {
  return (
    (status === 'cancelled' && (reason === undefined || reason === 'join')) ||
    (status === 'skipped' && reason === 'join')
  );
}

/** `s2 failed (provider), s4 cancelled (join)`: causes before those that the join stopped on their account. */
function listLost(lost: readonly Arrived[]): string {
  const ordered = [
    ...lost.filter(({ reason }) => reason !== 'join'),
    ...lost.filter(({ reason }) => reason === 'join'),
  ];
  const named = ordered
    .slice(0, maxNamed)
    .map(({ id, status, reason }) => `${id} ${status}${reason ? ` (${reason})` : ''}`);
  const more = ordered.length - named.length;
  return [...named, ...(more > 0 ? [`${formatCount(more)} more`] : [])].join(', ');
}
