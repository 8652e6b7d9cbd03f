/** `rerun`: a new run that does everything from a point on again, edited where wanted. */
import type { Command } from 'commander';
import { z } from 'zod';
import { TributaryError } from '../../../contract/failure.ts';
import { rerunPointSchema, subagentEditSchema } from '../../../contract/origin.ts';
import { changeFlags } from '../../flags/change-flags.ts';
import { readFlags, type FlagTable } from '../../flags/flag-table.ts';
import { readRunArgument } from '../../flags/read-run-argument.ts';
import { toChangedInput } from '../../flags/to-changed-input.ts';
import { toRerun } from '../../flags/to-rerun.ts';
import type { Launch } from '../../launch.ts';
import { runArgumentHelp } from '../steer/with-steered-run.ts';
import { readFollowing, takeOverFlags, takeOverRun } from './take-over-run.ts';

const wantedPoint = 'wanted plan, synthesis, or the id of a subagent such as s2';

const pointFlags = {
  '--from': {
    usage: '--from <point>',
    help: 'plan: a new plan and all of it; s2: that subagent and the report; synthesis: the report alone',
    schema: z
      .string()
      .refine((text) => rerunPointSchema.safeParse(text).success, wantedPoint)
      .transform((text) => text),
    group: 'Rerun:',
  },
  '--goal': {
    usage: '--goal <text>',
    help: 'another goal for the subagent that it begins from',
    schema: subagentEditSchema.shape.goal.unwrap(),
    group: 'Rerun:',
  },
} as const satisfies FlagTable;

/** What they mean here depends on the point. */
const editFlags = {
  ...changeFlags,
  '--model': {
    ...changeFlags['--model'],
    help: 'another model: of everything, of that subagent, or of the report, as --from says',
  },
  '--instructions': {
    ...changeFlags['--instructions'],
    help: 'other instructions: for everything, for that subagent, or for the report, as --from says',
  },
};

export function defineRerunCommand(program: Command, launch: Launch): void {
  const command = program
    .command('rerun')
    .argument('<run>', runArgumentHelp)
    .description('start a new run that does an ended run again from a point on, and takes over what lies before it')
    .addHelpText(
      'after',
      [
        '',
        'What is not given stays as it was in that run. Budgets are those of both runs: what was spent counts.',
        'Example: tributary rerun @last --from s2 --goal "What a deadline does to a join"',
        'Example: tributary rerun @last --from synthesis --model anthropic/claude-sonnet-4-5',
      ].join('\n'),
    );
  launch(command, { ...pointFlags, ...editFlags, ...takeOverFlags }, async (context) => {
    const own = readFlags(pointFlags, context.options);
    const change = readFlags(editFlags, context.options);
    const following = await readFollowing(context);
    const problems = [...context.problems, ...own.problems, ...change.problems, ...following.problems];
    const runId = readRunArgument(context.args[0]);
    const from = own.values['--from'];
    if (from === undefined) {
      const isMissing = !own.problems.some((problem) => problem.startsWith('--from'));
      throw new TributaryError(
        'INVALID_REQUEST',
        [...(isMissing ? [`--from: ${wantedPoint}, came nothing`] : []), ...problems].join('\n'),
      );
    }
    const { values, edit, problems: clashes } = toRerun(from, change.values, own.values['--goal']);
    const input = await toChangedInput(values, {
      installation: await context.openInstallation(),
      problems: [...problems, ...clashes],
      models: edit?.model === undefined ? [] : [edit.model],
    });
    const requestId = values['--request-id'];
    return takeOverRun(context, runId, { ...following, words: ['rerun', '--from', from], input }, (earlier) =>
      earlier.rerun({
        from,
        signal: context.interrupts.signal,
        ...(edit && { edit }),
        ...(input && { input }),
        ...(requestId !== undefined && { requestId }),
      }),
    );
  });
}
