/** `export --histories`: the recorded histories of a run and its subagents, in the form that replays. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { toHistoriesDocument } from '../../client/history/histories-file.ts';
import { TributaryError } from '../../contract/failure.ts';
import type { RecordedWorkflow } from '../../contract/replay.ts';
import { formatCount } from '../../domain/text.ts';
import { requireBackend, withBackend, type CommandContext } from '../command-context.ts';
import { findParentProblem } from '../flags/find-path-problem.ts';
import { toJson } from '../output/output.ts';
import { createProgressLine } from '../output/progress-line.ts';
import { writeNewFile } from '../output/write-new-file.ts';
import { formatBytes } from '../view/format.ts';

/** `--out` names a file, a folder that is there, or `-` for stdout; without it the file is in the current folder. */
export async function exportHistories(
  context: CommandContext,
  typed: string,
  flags: {
    readonly '--out': string | undefined;
    readonly '--force': boolean | undefined;
    readonly '--format': string | undefined;
  },
): Promise<number> {
  const { output, interrupts } = context;
  const out = flags['--out'] ?? '.';
  const inFolder = await isFolder(out);
  const problem =
    flags['--format'] !== undefined
      ? '--format: wanted none beside --histories, which has a form of its own'
      : out === '-' || inFolder
        ? null
        : await findParentProblem('--out', out);
  if (problem !== null) throw new TributaryError('INVALID_REQUEST', problem);
  return withBackend(context, { existingOnly: true }, async (maybe, installation) => {
    const backend = requireBackend(context, maybe, installation);
    const options = { signal: interrupts.signal };
    const handle = await backend.api.attach(typed, options);
    const workflows: RecordedWorkflow[] = [];
    const progress = createProgressLine(context);
    try {
      for await (const workflow of handle.histories(options)) {
        workflows.push(workflow);
        progress.show(`${formatCount(workflows.length)} histories read`);
      }
    } finally {
      progress.clear();
    }
    const gone = workflows.reduce((sum, each) => sum + each.gone, 0);
    if (gone > 0) output.note(`${formatCount(gone)} histories are not there any more: their retention has ended`);
    const text = `${toJson(toHistoriesDocument(workflows))}\n`;
    if (out === '-') {
      output.answer(text);
      return 0;
    }
    const path = inFolder ? join(out, `${handle.runId}.histories.json`) : out;
    const bytes = await writeNewFile('--out', path, text, { force: flags['--force'] === true });
    const histories = workflows.reduce((sum, each) => sum + each.histories.length, 0);
    if (output.format !== 'text')
      output.document({ type: 'exported', runId: handle.runId, format: 'histories', path, bytes, histories, gone });
    output.note(`${formatCount(histories)} histories of ${handle.runId} exported to ${path} (${formatBytes(bytes)})`);
    return 0;
  });
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
