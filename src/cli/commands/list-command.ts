/** `list`: runs, newest first. */
import type { Command } from 'commander';
import type { RunFilter } from '../../client/research-api.ts';
import type { RunStatus, RunSummary } from '../../contract/run-view.ts';
import { terminalRunStatuses } from '../../contract/result.ts';
import { withBackend } from '../command-context.ts';
import type { FlagTable } from '../flags/flag-table.ts';
import { durationFlag, wholeNumberFlag, wordListFlag } from '../flags/flag-values.ts';
import { readCommandFlags, type Launch } from '../launch.ts';
import { renderList } from '../view/render-list.ts';

const statuses = [
  'queued',
  'planning',
  'running',
  'synthesizing',
  'cancelling',
  ...terminalRunStatuses,
] as const satisfies readonly RunStatus[];
const defaultLimit = 50;

const flags = {
  '--status': {
    usage: '--status <status>',
    help: 'only these: a list with commas, or repeated',
    schema: wordListFlag(statuses),
    repeat: true,
    group: 'Filter:',
  },
  '--since': {
    usage: '--since <duration>',
    help: 'started within this time (2d, 3h)',
    schema: durationFlag,
    group: 'Filter:',
  },
  '--limit': {
    usage: '--limit <n>',
    help: `at most this many (default ${defaultLimit})`,
    schema: wholeNumberFlag(10_000),
    group: 'Filter:',
  },
} as const satisfies FlagTable;

export function defineListCommand(program: Command, launch: Launch): void {
  const command = program.command('list').alias('ls').description('list runs, newest first');
  launch(command, flags, async (context) => {
    const { output, io } = context;
    const values = readCommandFlags(context, flags);
    const filter: RunFilter = {
      limit: values['--limit'] ?? defaultLimit,
      ...(values['--status'] && { status: values['--status'] }),
      ...(values['--since'] && { startedAfter: new Date(Date.now() - values['--since']).toISOString() }),
    };
    return withBackend(context, { existingOnly: true }, async (backend) => {
      const runs: RunSummary[] = [];
      for await (const run of backend ? backend.api.list(filter) : []) {
        context.interrupts.signal.throwIfAborted();
        if (output.format === 'jsonl') output.document(run);
        else runs.push(run);
      }
      if (output.format === 'json') output.document(runs);
      if (output.format === 'text') {
        if (runs.length === 0) output.note(`no runs. start one:  ${context.toCommand('run', 'your question')}`);
        const columns = io.stdout.isTTY ? (io.stdout.columns ?? 80) : null;
        const lines = renderList(runs, { columns, nowMs: Date.now(), style: output.answerStyle });
        if (runs.length > 0) output.answer(lines.join('\n'));
      }
      return 0;
    });
  });
}
