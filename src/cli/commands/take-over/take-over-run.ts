/** What `retry` and `rerun` have in common: a new run from an ended one, followed or not, and refusals that say what to do. */
import type { ChangedInput, RunHandle } from '../../../client/research-api.ts';
import type { BudgetState } from '../../../contract/budget.ts';
import { defaults } from '../../../contract/defaults.ts';
import { failureCodeOf } from '../../../contract/failure.ts';
import type { RunDescription } from '../../../contract/run-view.ts';
import { requireBackend, withBackend, type CommandContext } from '../../command-context.ts';
import { readFlags, type FlagTable } from '../../flags/flag-table.ts';
import { followFlags, readFollowFlags } from '../../flags/follow-flags.ts';
import { followToEnd, type FollowFlags } from '../../follow/follow-to-end.ts';
import { tellStarted } from '../../follow/tell-started.ts';
import { ProblemError, toProblem, type Problem } from '../../output/problem.ts';
import { toMoreBudget } from '../../view/retry-step.ts';

export const takeOverFlags = {
  ...followFlags,
  '--detach': { usage: '--detach', help: 'do not follow it; print the id of the new run', group: 'Following:' },
} as const satisfies FlagTable;

export type Following = { readonly follow: FollowFlags; readonly isDetached: boolean };

/** Problems where a flag wants a run that is followed, and none is. */
export async function readFollowing(
  context: CommandContext,
): Promise<Following & { readonly problems: readonly string[] }> {
  const { values } = readFlags(takeOverFlags, context.options);
  const { follow, problems } = await readFollowFlags(context);
  const isDetached = values['--detach'] === true;
  const idle = (['--out', '--allow-partial', '--cancel-on-interrupt'] as const).filter((flag) => values[flag]);
  const clashes = isDetached ? idle.map((flag) => `${flag}: wanted a run that is followed, came --detach`) : [];
  return { follow, isDetached, problems: [...problems, ...clashes] };
}

/** `words`: the command as it was typed, without the run: `retry`, or `rerun --from s2`. */
type Call = { readonly words: readonly string[]; readonly input: ChangedInput | undefined };

/** Exit code of the command. */
export async function takeOverRun(
  context: CommandContext,
  runId: string,
  call: Following & Call,
  start: (earlier: RunHandle) => Promise<RunHandle>,
): Promise<number> {
  return withBackend(context, { existingOnly: true }, async (maybe, installation) => {
    const backend = requireBackend(context, maybe, installation);
    const { output, interrupts } = context;
    const earlier = await backend.api.attach(runId, { signal: interrupts.signal });
    const handle = await start(earlier).catch(async (error: unknown) => {
      throw await withNext(context, earlier, call, error);
    });
    if (call.isDetached) {
      await tellStarted(context, backend, handle.runId);
      return 0;
    }
    if (output.format !== 'jsonl') output.note(`run ${handle.runId}, a ${call.words[0]} of ${earlier.runId}`);
    return followToEnd(context, backend, handle, call.follow);
  });
}

async function withNext(context: CommandContext, earlier: RunHandle, call: Call, error: unknown): Promise<unknown> {
  const { toCommand } = context;
  const { runId } = earlier;
  const tell = (next: Problem['next']) => new ProblemError({ ...toProblem(error, toCommand), next });
  switch (failureCodeOf(error)) {
    case 'RUN_OPEN':
      return tell([
        ['follow it', toCommand('watch', runId)],
        ['stop it', toCommand('cancel', runId, '--wait')],
      ]);
    case 'SUBAGENT_NOT_FOUND':
      return tell([['see them', toCommand('show', runId)]]);
    case 'INVALID_REQUEST':
      return tell(toNext(context, await earlier.describe({ signal: context.interrupts.signal }), call));
    default:
      return error;
  }
}

/** A run without means needs more of them; one that is complete can only be done again from a point on. */
function toNext({ toCommand }: CommandContext, run: RunDescription, { input, words }: Call): Problem['next'] {
  const { runId, budget } = run;
  const again = (...more: string[]) => toCommand(words[0]!, runId, ...words.slice(1), ...more);
  const short = findShort(budget, input?.budget);
  if (short !== null && findShort(budget, {}) === null) return [['with the limits of that run', again()]];
  if (short !== null) return [['with more', again(...toMoreBudget(budget, short))]];
  if (run.status !== 'completed') return [['see the run', toCommand('show', runId)]];
  return [
    ['one subagent again', toCommand('rerun', runId, '--from', run.tree[0]?.id ?? 's1')],
    ['the report again', toCommand('rerun', runId, '--from', 'synthesis')],
  ];
}

/** What does not reach for a report any more, with these limits in place of the run's own. */
function findShort(budget: BudgetState, wanted: ChangedInput['budget'] = {}): 'tokens' | 'usd' | null {
  const { tokens, usd } = budget;
  if ((wanted.tokens ?? tokens.limit) < tokens.spent + defaults.synthesisReserveMinTokens) return 'tokens';
  const limitUsd = wanted.usd ?? usd?.limit;
  return limitUsd !== undefined && limitUsd <= (usd?.spent ?? 0) ? 'usd' : null;
}
