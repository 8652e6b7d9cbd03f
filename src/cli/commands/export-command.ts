/** `export`: a run to take away, as one file or on stdout. */
import type { Command } from 'commander';
import { TributaryError } from '../../contract/failure.ts';
import { exportFormats, type ExportFormat } from '../../contract/run-export.ts';
import { requireBackend, withBackend, type CommandContext } from '../command-context.ts';
import { findParentProblem } from '../flags/find-path-problem.ts';
import type { FlagTable } from '../flags/flag-table.ts';
import { textFlag, wordFlag } from '../flags/flag-values.ts';
import { readRunArgument } from '../flags/read-run-argument.ts';
import { readCommandFlags, type Launch } from '../launch.ts';
import { writeNewFile } from '../output/write-new-file.ts';
import { formatBytes } from '../view/format.ts';
import { exportHistories } from './export-histories.ts';

const group = 'Export:';
const flags = {
  '--format': {
    usage: '--format <md|html|json|jsonl>',
    help: 'what to write (default: by the ending of --out, else md)',
    schema: wordFlag(exportFormats),
    group,
  },
  '--out': { usage: '--out <file>', help: 'write to a new file instead of stdout', schema: textFlag, group },
  '--histories': {
    usage: '--histories',
    help: 'the recorded histories of the run and its subagents, for replay (default file: RUN.histories.json)',
    group,
  },
  '--force': { usage: '--force', help: 'replace the file of --out where there is one', group },
} as const satisfies FlagTable;

export function defineExportCommand(program: Command, launch: Launch): void {
  const command = program
    .command('export')
    .argument('<run>', 'run id, a unique beginning of one, or @last')
    .description('take a run away: report, sources, gaps, subagents and budget')
    .addHelpText(
      'after',
      [
        '',
        'md and html are for people; html is one static page without scripts. json is everything in one document, jsonl',
        'the events, one a line. A run that goes on is exported as far as it is.',
        'Examples: tributary export @last --out report.html',
        '          tributary export run_01JQ7M3K --format json | jq .findings',
        '          tributary export @last --histories --out test/histories',
      ].join('\n'),
    );
  launch(command, flags, async (context) => {
    const { output, interrupts } = context;
    const own = readCommandFlags(context, flags);
    const runId = readRunArgument(context.args[0]);
    const out = own['--out'];
    if (own['--histories']) return exportHistories(context, runId, own);
    const format = chooseFormat(context, own['--format'], out);
    const problem = out === undefined ? null : await findParentProblem('--out', out);
    if (problem !== null) throw new TributaryError('INVALID_REQUEST', problem);
    return withBackend(context, { existingOnly: true }, async (maybe, installation) => {
      const backend = requireBackend(context, maybe, installation);
      const options = { signal: interrupts.signal };
      const handle = await backend.api.attach(runId, options);
      const text = await handle.export({ ...options, format });
      if (out === undefined) {
        output.answer(text);
        return 0;
      }
      const bytes = await writeNewFile('--out', out, text, { force: own['--force'] === true });
      if (output.format !== 'text')
        output.document({ type: 'exported', runId: handle.runId, format, path: out, bytes });
      output.note(`${handle.runId} exported to ${out} (${format}, ${formatBytes(bytes)})`);
      return 0;
    });
  });
}

/** What is asked for; else what the file is called; else what `--json` and `-o` ask of stdout. */
function chooseFormat(
  { output }: CommandContext,
  asked: ExportFormat | undefined,
  out: string | undefined,
): ExportFormat {
  const ending = out === undefined ? undefined : /\.([a-z]+)$/i.exec(out)?.[1]?.toLowerCase();
  const byName = { md: 'md', markdown: 'md', html: 'html', htm: 'html', json: 'json', jsonl: 'jsonl', ndjson: 'jsonl' };
  const format = asked ?? (byName as Record<string, ExportFormat | undefined>)[ending ?? ''];
  if (output.format === 'text' || out !== undefined) return format ?? 'md';
  if (format !== undefined && format !== output.format) {
    const wanted = `--format ${format}: wanted --out with it, since stdout was asked to be ${output.format}`;
    throw new TributaryError('INVALID_REQUEST', wanted);
  }
  return output.format;
}
