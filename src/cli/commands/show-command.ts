/** `show`: describe a run, or one of its subagents, once. */
import type { Command } from 'commander';
import { requireBackend, withBackend } from '../command-context.ts';
import { readRunArgument, readSubagentArgument } from '../flags/read-run-argument.ts';
import { readCommandFlags, type Launch } from '../launch.ts';
import { ProblemError } from '../output/problem.ts';
import { renderNext } from '../output/output.ts';
import { toNeeds } from '../view/render-needs.ts';
import { toRetryStep } from '../view/retry-step.ts';
import { renderDescription, renderSubagentDescription } from '../view/render-description.ts';

export function defineShowCommand(program: Command, launch: Launch): void {
  const command = program
    .command('show')
    .argument('<run>', 'run id, a unique beginning of one, or @last')
    .argument('[subagent]', 'id of a subagent, such as s2')
    .description('describe a run, or one of its subagents');
  launch(command, {}, async (context) => {
    readCommandFlags(context, {});
    const { output, toCommand, interrupts } = context;
    const runId = readRunArgument(context.args[0]);
    const subagentId = context.args[1] === undefined ? null : readSubagentArgument(context.args[1]);
    return withBackend(context, { existingOnly: true }, async (maybe, installation) => {
      const backend = requireBackend(context, maybe, installation);
      const options = { signal: interrupts.signal };
      const run = await (await backend.api.attach(runId, options)).describe(options);
      if (run.isKept) output.note('its history is gone (retention); this is what was kept of it');
      const style = { nowMs: Date.now(), style: output.answerStyle };
      if (subagentId === null) {
        if (output.format !== 'text') output.document(run);
        else {
          output.answer(renderDescription(run, style).join('\n'));
          for (const { what, next } of toNeeds(run, toCommand)) {
            output.note(`! ${what}`);
            for (const line of renderNext(next)) output.note(line);
          }
          const isTakenOver = (run.successors ?? []).length > 0;
          const isShort = run.tree.some(({ reason }) => reason === 'budget');
          const retry = isTakenOver ? [] : toRetryStep({ ...run, isShort }, toCommand);
          for (const line of renderNext(retry)) output.note(line);
        }
        return 0;
      }
      const view = run.tree.find((each) => each.id === subagentId);
      if (!view) {
        throw new ProblemError({
          code: 'SUBAGENT_NOT_FOUND',
          exitCode: 9,
          what: `${run.runId} has no subagent ${subagentId}`,
          why: run.tree.length > 0 ? `It has ${run.tree.map((each) => each.id).join(', ')}.` : 'It has none yet.',
          next: [['see them', toCommand('show', run.runId)]],
        });
      }
      if (output.format === 'text') output.answer(renderSubagentDescription(view, style).join('\n'));
      else output.document(view);
      return 0;
    });
  });
}
