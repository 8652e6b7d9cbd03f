/** `budget`: the meters of a run; `budget add`: raises its limits while it goes on or waits. */
import type { Command } from 'commander';
import { subagentIdSchema } from '../../../contract/ids.ts';
import type { BudgetState } from '../../../contract/budget.ts';
import { TributaryError } from '../../../contract/failure.ts';
import { requireBackend, withBackend } from '../../command-context.ts';
import type { FlagTable } from '../../flags/flag-table.ts';
import { durationFlag, textFlag, usdFlag, wholeNumberFlag } from '../../flags/flag-values.ts';
import { readRunArgument } from '../../flags/read-run-argument.ts';
import { readCommandFlags, type Launch } from '../../launch.ts';
import { renderMark } from '../../output/marks.ts';
import { renderBudgetTable } from '../../view/render-budget.ts';
import { runArgumentHelp, steerFlags, withSteeredRun } from './with-steered-run.ts';

const group = 'Add:';
const addFlags = {
  '--usd': { usage: '--usd <amount>', help: 'USD on top', schema: usdFlag, group },
  '--tokens': { usage: '--tokens <n>', help: 'tokens on top', schema: wholeNumberFlag(), group },
  '--calls': { usage: '--calls <n>', help: 'tool calls on top', schema: wholeNumberFlag(), group },
  '--time': { usage: '--time <duration>', help: 'time on top (10m)', schema: durationFlag, group },
  '--subagent': {
    usage: '--subagent <id>',
    help: 'for this subagent alone; the limit of the run rises with it',
    schema: subagentIdSchema,
    group,
  },
  '--reason': { usage: '--reason <text>', help: 'why, for the record', schema: textFlag, group },
  ...steerFlags,
} as const satisfies FlagTable;

export function defineBudgetCommand(program: Command, launch: Launch): void {
  const budget = program.command('budget').description('show or raise the budget of a run').enablePositionalOptions();
  launch(
    budget.command('show', { isDefault: true }).argument('<run>', runArgumentHelp).description('the meters of a run'),
    {},
    async (context) => {
      readCommandFlags(context, {});
      const runId = readRunArgument(context.args[0]);
      return withBackend(context, { existingOnly: true }, async (maybe, installation) => {
        const backend = requireBackend(context, maybe, installation);
        const options = { signal: context.interrupts.signal };
        const run = await (await backend.api.attach(runId, options)).describe(options);
        if (context.output.format !== 'text') {
          const { runId: id, status, budget: meters, usage } = run;
          context.output.document({ type: 'budget', runId: id, status, budget: meters, estimated: usage.estimated });
          return 0;
        }
        const { answerStyle } = context.output;
        context.output.answer(
          [
            `${renderMark(run.status, answerStyle)} ${run.runId} ${run.status}`,
            ...renderBudgetTable(run.budget, run.usage.estimated, answerStyle),
          ].join('\n'),
        );
        return 0;
      });
    },
  );
  const add = budget
    .command('add')
    .argument('<run>', runArgumentHelp)
    .description('raise the limits; a run that waits for it goes on')
    .addHelpText('after', '\nExample: tributary budget add @last --tokens 200000');
  launch(add, addFlags, async (context) => {
    const values = readCommandFlags(context, addFlags);
    const runId = readRunArgument(context.args[0]);
    const raise = {
      ...(values['--usd'] !== undefined && { usd: values['--usd'] }),
      ...(values['--tokens'] !== undefined && { tokens: values['--tokens'] }),
      ...(values['--calls'] !== undefined && { toolCalls: values['--calls'] }),
      ...(values['--time'] !== undefined && { wallClock: values['--time'] }),
    };
    if (Object.keys(raise).length === 0)
      throw new TributaryError(
        'INVALID_REQUEST',
        'budget add: wanted at least one of --usd, --tokens, --calls, --time, came none',
      );
    return withSteeredRun(context, runId, { mayWork: values['--no-worker'] !== true }, async (handle, call) => {
      const after = await handle.addBudget(raise, {
        ...call,
        requestId: values['--request-id'],
        subagentId: values['--subagent'],
        reason: values['--reason'],
      });
      tellRaised(after);
      return 0;

      function tellRaised(state: BudgetState): void {
        const { output } = context;
        if (output.format !== 'text') output.document({ type: 'budget', runId: handle.runId, budget: state });
        else
          output.answer([`${handle.runId}: raised`, ...renderBudgetTable(state, false, output.answerStyle)].join('\n'));
      }
    });
  });
}
