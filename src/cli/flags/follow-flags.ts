/** The flags of commands that start a run and follow it to its end. */
import type { CommandContext } from '../command-context.ts';
import type { FollowFlags } from '../follow/follow-to-end.ts';
import { canAsk } from '../output/ask-yes-no.ts';
import { findParentProblem } from './find-path-problem.ts';
import { readFlags, type FlagTable } from './flag-table.ts';
import { textFlag } from './flag-values.ts';

const group = 'Following:';

export const followFlags = {
  '--allow-partial': { usage: '--allow-partial', help: 'exit 0 for a partial run too', group },
  '--cancel-on-interrupt': {
    usage: '--cancel-on-interrupt',
    help: 'Ctrl-C and SIGTERM cancel the run instead of leaving it',
    group,
  },
  '--no-worker': { usage: '--no-worker', help: 'never work on the run inside this command', group },
  '--out': { usage: '--out <file>', help: 'write the report to a file instead of stdout', schema: textFlag, group },
} as const satisfies FlagTable;

export async function readFollowFlags(
  context: CommandContext,
): Promise<{ readonly follow: FollowFlags; readonly problems: readonly string[] }> {
  const { values, problems } = readFlags(followFlags, context.options);
  const out = values['--out'];
  const outProblem = out === undefined ? null : await findParentProblem('--out', out);
  return {
    follow: {
      mayWork: values['--no-worker'] !== true,
      cancelOnInterrupt: values['--cancel-on-interrupt'] === true,
      untilBlocked: !canAsk(context),
      allowPartial: values['--allow-partial'] === true,
      ...(out !== undefined && { out }),
    },
    problems: [...problems, ...(outProblem === null ? [] : [outProblem])],
  };
}
