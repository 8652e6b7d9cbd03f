/** `delete`: removes an ended run for good: histories, transcripts, payloads and result. */
import type { Command } from 'commander';
import type { DeleteReceipt } from '../../client/research-api.ts';
import { requireBackend, withBackend } from '../command-context.ts';
import type { FlagTable } from '../flags/flag-table.ts';
import { readRunArgument } from '../flags/read-run-argument.ts';
import { readCommandFlags, type Launch } from '../launch.ts';
import { askYesNo, canAsk } from '../output/ask-yes-no.ts';
import { ProblemError } from '../output/problem.ts';
import { formatBytes, formatPlural } from '../view/format.ts';

const flags = {
  '--dry-run': { usage: '--dry-run', help: 'say what would be removed, and remove nothing', group: 'Delete:' },
} as const satisfies FlagTable;

export function defineDeleteCommand(program: Command, launch: Launch): void {
  const command = program
    .command('delete')
    .argument('<run>', 'run id, a unique beginning of one, or @last')
    .description('remove an ended run for good: history, transcripts, payloads and result')
    .addHelpText(
      'after',
      [
        '',
        'What other runs use of it stays. A run that goes on is refused: cancel or terminate it first.',
        'Examples: tributary delete @last',
        '          tributary delete run_01ABC --dry-run',
      ].join('\n'),
    );
  launch(command, flags, async (context) => {
    const { output, interrupts, toCommand, everywhere } = context;
    const dryRun = readCommandFlags(context, flags)['--dry-run'] === true;
    const runId = readRunArgument(context.args[0]);
    const mayDelete = dryRun || everywhere['--yes'] === true;
    if (!mayDelete && !canAsk(context)) {
      throw new ProblemError({
        code: 'INPUT_NEEDED',
        exitCode: 7,
        what: `what is deleted cannot be got back, and nobody can be asked whether ${runId} should be`,
        next: [
          ['see what would go', toCommand('delete', runId, '--dry-run')],
          ['do it', toCommand('delete', runId, '-y')],
        ],
      });
    }
    return withBackend(context, { existingOnly: true }, async (maybe, installation) => {
      const backend = requireBackend(context, maybe, installation);
      const call = { signal: interrupts.signal };
      const handle = await backend.api.attach(runId, call);
      const question = `Delete ${handle.runId}?  Its history, transcripts and result cannot be got back.`;
      if (!mayDelete && !(await askYesNo(context, question))) {
        output.note('nothing was deleted');
        return 0;
      }
      if (!dryRun) output.note('deleting; the server may take half a minute …');
      const receipt = await handle.delete({ ...call, dryRun });
      if (output.format === 'text') output.answer(renderReceipt(receipt));
      else output.document({ type: 'delete', ...receipt });
      return 0;
    });
  });
}

/** `deleted run_X: 21 histories, 143 blobs (2.1 MB), its record; 12 blobs stay: run_Y uses them`. */
function renderReceipt({ runId, dryRun, histories, record, blobs, bytes, blobsKept, users }: DeleteReceipt): string {
  const parts = [
    formatPlural(histories, 'history').replace('historys', 'histories'),
    `${formatPlural(blobs, 'blob')} (${formatBytes(bytes)})`,
    ...(record ? ['its record'] : []),
  ];
  return `${dryRun ? 'would delete' : 'deleted'} ${runId}: ${parts.join(', ')}${renderStaying(blobsKept, users)}`;
}

function renderStaying(count: number, users: readonly string[]): string {
  if (count === 0) return '';
  const stay = `; ${formatPlural(count, 'blob')} ${count === 1 ? 'stays' : 'stay'}`;
  if (users.length === 0) return `${stay}: stored again since`;
  const it = count === 1 ? 'it' : 'them';
  return `${stay}: ${users.slice(0, 5).join(', ')}${users.length > 5 ? ', …' : ''} ${users.length === 1 ? 'uses' : 'use'} ${it}`;
}
