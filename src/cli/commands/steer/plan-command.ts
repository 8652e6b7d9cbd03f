/** `plan show|approve|revise`: the plan of a run that waits for a person before it spends. */
import type { Command } from 'commander';
import { z } from 'zod';
import type { PlanEdit } from '../../../contract/control.ts';
import { subagentIdSchema } from '../../../contract/ids.ts';
import { requireBackend, withBackend } from '../../command-context.ts';
import type { FlagTable } from '../../flags/flag-table.ts';
import { textFlag } from '../../flags/flag-values.ts';
import { readRunArgument } from '../../flags/read-run-argument.ts';
import { readCommandFlags, type Launch } from '../../launch.ts';
import { renderMark } from '../../output/marks.ts';
import { toPlainLine } from '../../output/plain-text.ts';
import { runArgumentHelp, steerFlags, withSteeredRun } from './with-steered-run.ts';

const edited = z
  .string()
  .regex(/^s\d+=\s*\S/, 'wanted an id and a goal such as s2=Compare the prices')
  .transform((text) => {
    const at = text.indexOf('=');
    return { id: text.slice(0, at), goal: text.slice(at + 1).trim() };
  });

const group = 'Edits (remove, then edit, then add):';
const approveFlags = {
  '--remove': {
    usage: '--remove <id>',
    help: 'leave this subtask out; may be repeated',
    schema: z.array(subagentIdSchema),
    repeat: true,
    group,
  },
  '--edit': {
    usage: '--edit <id=goal>',
    help: 'another goal for a subtask; may be repeated',
    schema: z.array(edited),
    repeat: true,
    group,
  },
  '--add': {
    usage: '--add <goal>',
    help: 'one more subtask; may be repeated',
    schema: z.array(textFlag),
    repeat: true,
    group,
  },
  ...steerFlags,
} as const satisfies FlagTable;

export function definePlanCommand(program: Command, launch: Launch): void {
  const plan = program.command('plan').description('show, approve or send back the plan of a run (--plan review)');
  launch(plan.command('show').argument('<run>', runArgumentHelp).description('the subtasks'), {}, async (context) => {
    readCommandFlags(context, {});
    const { output, interrupts, toCommand } = context;
    const runId = readRunArgument(context.args[0]);
    return withBackend(context, { existingOnly: true }, async (maybe, installation) => {
      const backend = requireBackend(context, maybe, installation);
      const call = { signal: interrupts.signal };
      const run = await (await backend.api.attach(runId, call)).describe(call);
      const subtasks = run.tree.filter(({ parentId }) => parentId === null).map(({ id, goal }) => ({ id, goal }));
      if (output.format !== 'text') {
        output.document({ type: 'plan', runId: run.runId, status: run.status, subtasks });
        return 0;
      }
      output.answer(
        [
          `${renderMark(run.status, output.answerStyle)} ${run.runId} ${run.status}`,
          ...(subtasks.length === 0 ? ['  there is no plan yet'] : []),
          ...subtasks.map(({ id, goal }) => `  ${id}  ${toPlainLine(goal)}`),
        ].join('\n'),
      );
      if (run.status === 'awaiting-plan') {
        output.note(`  begin:      ${toCommand('plan', 'approve', run.runId)}`);
        output.note(`  send back:  ${toCommand('plan', 'revise', run.runId, 'what to change')}`);
      }
      return 0;
    });
  });
  const approve = plan
    .command('approve')
    .argument('<run>', runArgumentHelp)
    .description('begin the fan-out, with edits if there are any')
    .addHelpText('after', '\nExample: tributary plan approve @last --remove s3 --edit "s1=Prices in the EU"');
  launch(approve, approveFlags, async (context) => {
    const values = readCommandFlags(context, approveFlags);
    const runId = readRunArgument(context.args[0]);
    const edits: PlanEdit[] = [
      ...(values['--remove'] ?? []).map((id) => ({ op: 'remove' as const, id })),
      ...(values['--edit'] ?? []).map(({ id, goal }) => ({ op: 'edit' as const, id, goal })),
      ...(values['--add'] ?? []).map((goal) => ({ op: 'add' as const, goal })),
    ];
    return withSteeredRun(context, runId, { mayWork: values['--no-worker'] !== true }, async (handle, call) => {
      await handle.approvePlan({ ...call, edits, requestId: values['--request-id'] });
      const { output } = context;
      if (output.format === 'text') output.answer(`${handle.runId}: the plan is approved`);
      else output.document({ type: 'plan-approved', runId: handle.runId, edits });
      return 0;
    });
  });
  const revise = plan
    .command('revise')
    .argument('<run>', runArgumentHelp)
    .argument('<feedback>', 'what to change')
    .description('have the planner write another plan');
  launch(revise, steerFlags, async (context) => {
    const values = readCommandFlags(context, steerFlags);
    const runId = readRunArgument(context.args[0]);
    return withSteeredRun(context, runId, { mayWork: values['--no-worker'] !== true }, async (handle, call) => {
      await handle.revisePlan(context.args[1] ?? '', { ...call, requestId: values['--request-id'] });
      const { output } = context;
      if (output.format === 'text') output.answer(`${handle.runId}: the planner writes another plan`);
      else output.document({ type: 'plan-revised', runId: handle.runId });
      return 0;
    });
  });
}
