/** `cancel`: a cooperative cancel of a run, or of one subagent. */
import type { Command } from 'commander';
import type { CancelReceipt, RunHandle } from '../../client/research-api.ts';
import { requireBackend, withBackend, type CommandContext } from '../command-context.ts';
import type { FlagTable } from '../flags/flag-table.ts';
import { textFlag } from '../flags/flag-values.ts';
import { readRunArgument } from '../flags/read-run-argument.ts';
import { readCommandFlags, type Launch } from '../launch.ts';
import { subagentIdSchema } from '../../contract/ids.ts';
import { hasSubagentEnded } from '../follow/fold-run-event.ts';
import { askYesNo, canAsk } from '../output/ask-yes-no.ts';
import { renderMark } from '../output/marks.ts';
import { toPlainLine } from '../output/plain-text.ts';
import { formatPlural } from '../view/format.ts';
import { renderMayStillRun, renderRunCancel, renderSubagentCancel } from '../view/render-cancel.ts';

const flags = {
  '--subagent': {
    usage: '--subagent <id>',
    help: 'only this one; the others go on',
    schema: subagentIdSchema,
    group: 'Cancel:',
  },
  '--reason': { usage: '--reason <text>', help: 'why, for the record', schema: textFlag, group: 'Cancel:' },
  '--wait': { usage: '--wait', help: 'wait until everything has stopped', group: 'Cancel:' },
} as const satisfies FlagTable;

export function defineCancelCommand(program: Command, launch: Launch): void {
  const command = program
    .command('cancel')
    .argument('<run>', 'run id, a unique beginning of one, or @last')
    .description('cancel a run, or one of its subagents; what was found is kept');
  launch(command, flags, async (context) => {
    const { output, interrupts } = context;
    const own = readCommandFlags(context, flags);
    const runId = readRunArgument(context.args[0]);
    const subagentId = own['--subagent'];
    return withBackend(context, { existingOnly: true }, async (maybe, installation) => {
      const backend = requireBackend(context, maybe, installation);
      const handle = await backend.api.attach(runId, { signal: interrupts.signal });
      if (!(await isConfirmed(context, handle, subagentId))) {
        output.note('nothing was cancelled');
        return 0;
      }
      const options = {
        signal: interrupts.signal,
        reason: own['--reason'],
        wait: own['--wait'] === true,
        timeoutMs: context.everywhere['--timeout'],
      };
      const receipt = await (subagentId === undefined
        ? handle.cancel(options)
        : handle.cancelSubagent(subagentId, options));
      const exitCode = tellReceipt(context, handle.runId, subagentId, receipt);
      // A cancel is recorded without a worker, but only a worker can carry it out.
      if (receipt.status === 'cancelling' && !(await backend.api.hasWorker({ signal: interrupts.signal }))) {
        output.note(`  no worker polls task queue "${backend.taskQueue}": it stops when one does`);
        output.note(`  start one:  ${context.toCommand('worker')}`);
      }
      return exitCode;
    });
  });
}

/** Asks on a terminal. Elsewhere the command itself is the answer: a cancel keeps everything that was found. */
async function isConfirmed(
  context: CommandContext,
  handle: RunHandle,
  subagentId: string | undefined,
): Promise<boolean> {
  if (context.everywhere['--yes'] === true || !canAsk(context)) return true;
  const run = await handle.describe({ signal: context.interrupts.signal });
  const open = run.tree.filter((view) => !hasSubagentEnded(view.status));
  const view = run.tree.find((each) => each.id === subagentId);
  const question =
    subagentId === undefined
      ? `Cancel ${run.runId} "${toPlainLine(run.title)}"?  ${formatPlural(open.length, 'subagent')} will be stopped; what was found is kept.`
      : `Cancel ${subagentId}${view ? ` "${toPlainLine(view.goal)}"` : ''}?  What it found is kept; ${open.filter(({ id }) => !`${id}.`.startsWith(`${subagentId}.`)).length} others go on.`;
  return askYesNo(context, question);
}

/** The end that a cancel was waited for may be another one than cancelled: that is a conflict, and is said. */
function tellReceipt(
  context: CommandContext,
  runId: string,
  subagentId: string | undefined,
  receipt: CancelReceipt,
): number {
  const { output, toCommand } = context;
  const exitCode = receipt.status === 'cancelling' || receipt.status === 'cancelled' ? 0 : 10;
  const what = subagentId === undefined ? runId : `${runId} ${subagentId}`;
  if (output.format !== 'text') {
    const { status, affected, cancel } = receipt;
    const whom = { runId, ...(subagentId && { subagentId }) };
    output.document({ type: 'cancel', ...whom, status, affected, ...(cancel && { cancel }), exitCode });
    return exitCode;
  }
  const told = receipt.affected.length === 0 ? '' : `: ${receipt.affected.join(', ')} told to stop`;
  const late = exitCode === 0 ? '' : ' before the cancel reached it';
  const headline = `${renderMark(receipt.status, output.answerStyle)} ${what} ${receipt.status}${late}${told}`;
  const proof = receipt.cancel && exitCode === 0 ? renderCancel(receipt.cancel) : [];
  output.answer([headline, ...proof].join('\n'));
  if (receipt.status === 'cancelling') output.note(`  follow it:  ${toCommand('watch', runId)}`);
  return exitCode;
}

function renderCancel(cancel: NonNullable<CancelReceipt['cancel']>): string[] {
  const text = 'subagents' in cancel ? renderRunCancel(cancel) : renderSubagentCancel(cancel);
  return [text, ...renderMayStillRun(cancel)].map((line) => `  ${line}`);
}
