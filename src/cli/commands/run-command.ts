/** `run`: start, follow to the end, print the report. */
import type { Command } from 'commander';
import { withBackend } from '../command-context.ts';
import { readFlags, type FlagTable } from '../flags/flag-table.ts';
import { findParentProblem } from '../flags/find-path-problem.ts';
import { textFlag } from '../flags/flag-values.ts';
import { requestFlags } from '../flags/request-flags.ts';
import { toStartInput } from '../flags/to-start-input.ts';
import { followToEnd } from '../follow/follow-to-end.ts';
import { canAsk } from '../output/ask-yes-no.ts';
import type { Launch } from '../launch.ts';

const ownFlags = {
  '--allow-partial': { usage: '--allow-partial', help: 'exit 0 for a partial run too', group: 'Following:' },
  '--cancel-on-interrupt': {
    usage: '--cancel-on-interrupt',
    help: 'Ctrl-C and SIGTERM cancel the run instead of leaving it',
    group: 'Following:',
  },
  '--no-worker': { usage: '--no-worker', help: 'never work on the run inside this command', group: 'Following:' },
  '--out': {
    usage: '--out <file>',
    help: 'write the report to a file instead of stdout',
    schema: textFlag,
    group: 'Following:',
  },
} as const satisfies FlagTable;

export function defineRunCommand(program: Command, launch: Launch): void {
  const command = program
    .command('run')
    .argument('<question>', 'what to research')
    .description('start a run, follow it to its end, and print the report')
    .addHelpText('after', '\nExample: tributary run "How does Tributary cancel a fan-out?" --corpus docs');
  launch(command, { ...requestFlags, ...ownFlags }, async (context) => {
    const request = readFlags(requestFlags, context.options);
    const own = readFlags(ownFlags, context.options);
    const out = own.values['--out'];
    const outProblem = out === undefined ? null : await findParentProblem('--out', out);
    const problems = [...context.problems, ...request.problems, ...own.problems, ...(outProblem ? [outProblem] : [])];
    const installation = await context.openInstallation();
    const input = await toStartInput(context.args[0] ?? '', request.values, {
      installation,
      problems,
      isInteractive: canAsk(context),
    });
    return withBackend(context, { existingOnly: false }, async (backend) => {
      const handle = await backend!.api.start(input, { requestId: request.values['--request-id'] });
      if (context.output.format !== 'jsonl') context.output.note(`run ${handle.runId}`);
      return followToEnd(context, backend!, handle, {
        mayWork: own.values['--no-worker'] !== true,
        cancelOnInterrupt: own.values['--cancel-on-interrupt'] === true,
        untilBlocked: !canAsk(context),
        allowPartial: own.values['--allow-partial'] === true,
        out,
      });
    });
  });
}
