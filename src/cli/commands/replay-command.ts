/** `replay`: recorded histories against the workflow code of today. Changes nothing, starts no work, spends nothing. */
import type { Command } from 'commander';
import { readFile } from 'node:fs/promises';
import { readHistories } from '../../client/history/histories-file.ts';
import type { RunHandle } from '../../client/research-api.ts';
import { TributaryError } from '../../contract/failure.ts';
import { runIdSchema } from '../../contract/ids.ts';
import type { RecordedWorkflow, ReplayedHistory } from '../../contract/replay.ts';
import { formatCount } from '../../domain/text.ts';
import type { Backend, Installation } from '../cli-dependencies.ts';
import { requireBackend, withBackend, type CommandContext } from '../command-context.ts';
import { readCommandFlags, type Launch } from '../launch.ts';
import { createProgressLine } from '../output/progress-line.ts';
import { renderReplay } from '../view/render-replay.ts';

export function defineReplayCommand(program: Command, launch: Launch): void {
  const command = program
    .command('replay')
    .argument('<run-or-file...>', 'run id, a unique beginning of one, @last, or a file of histories')
    .description('replay recorded histories against the workflow code of today')
    .addHelpText(
      'after',
      [
        '',
        'Replays the histories of a run and of all its subagents, each to its end or as far as it is recorded, and says where',
        'one parts from the code of this build. It is neither retry nor rerun: nothing is started or changed, no worker is',
        'needed, and for files no server. What is no run id (it has a dot or a slash) is a file: one of export --histories, or',
        'a history as Temporal itself exports it. Exit code 0: the code follows all of them; 1: it does not.',
        'Examples: tributary replay @last',
        '          tributary replay ./run_01JQ7M3K.histories.json --json',
      ].join('\n'),
    );
  launch(command, {}, async (context) => {
    readCommandFlags(context, {});
    const files = new Map<string, RecordedWorkflow[]>();
    const isRun = (word: string) => word === '@last' || runIdSchema.safeParse(word).success;
    for (const word of context.args) if (!isRun(word)) files.set(word, await readFileOf(word));
    const replay = async (backend: Backend | null, installation: Installation): Promise<number> => {
      const sources: (RunHandle | RecordedWorkflow[])[] = [];
      for (const word of context.args) {
        const { signal } = context.interrupts;
        sources.push(
          files.get(word) ?? (await requireBackend(context, backend, installation).api.attach(word, { signal })),
        );
      }
      return replayAll(context, installation, sources);
    };
    if (!context.args.some(isRun)) return replay(null, await context.openInstallation());
    return withBackend(context, { existingOnly: true }, replay);
  });
}

async function readFileOf(path: string): Promise<RecordedWorkflow[]> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    throw new TributaryError('INVALID_REQUEST', `${path}: cannot be read: ${(error as Error).message}`);
  }
  return readHistories(path, text);
}

async function replayAll(
  context: CommandContext,
  installation: Installation,
  sources: readonly (RunHandle | RecordedWorkflow[])[],
): Promise<number> {
  const { output, interrupts } = context;
  let gone = 0;
  async function* recorded() {
    for (const source of sources) {
      for await (const workflow of Array.isArray(source) ? source : source.histories({ signal: interrupts.signal })) {
        gone += workflow.gone;
        yield workflow;
      }
    }
  }
  const replayed: ReplayedHistory[] = [];
  const progress = createProgressLine(context);
  try {
    for await (const each of installation.replay(recorded(), { verbose: output.verbose })) {
      interrupts.signal.throwIfAborted();
      replayed.push(each);
      progress.show(`${formatCount(replayed.length)} histories replayed`);
    }
  } finally {
    progress.clear();
  }
  const ok = replayed.every((each) => each.ok);
  if (output.format === 'text') output.answer(renderReplay(replayed, output.answerStyle).join('\n'));
  else output.document({ type: 'replay', ok, workflows: replayed, gone });
  if (gone > 0) output.note(`${formatCount(gone)} histories are not there any more: their retention has ended`);
  return ok ? 0 : 1;
}
