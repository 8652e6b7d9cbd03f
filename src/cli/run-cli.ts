/** The command line as a function: parses, runs one command, and answers with the exit code on every path. */
import { CommanderError } from 'commander';
import type { CliDependencies } from './cli-dependencies.ts';
import type { CliIo } from './cli-io.ts';
import { createProgram } from './create-program.ts';
import { guessFormat } from './flags/guess-format.ts';
import { watchInterrupts } from './follow/interrupts.ts';
import { createLaunch, isStreaming, type Call } from './launch.ts';
import { exitCodeOfSignal } from './output/exit-codes.ts';
import { createOutput } from './output/output.ts';
import { toProblem, type Problem } from './output/problem.ts';
import { decideStyle } from './output/style.ts';
import { toUsageProblem } from './output/to-usage-problem.ts';

/** Never rejects. After it resolves the caller may exit at once: everything that was written has been handed over. */
export async function runCli(argv: readonly string[], io: CliIo, dependencies: CliDependencies): Promise<number> {
  const interrupts = watchInterrupts(io);
  const name = argv.find((word) => !word.startsWith('-'));
  const guessed = guessFormat(argv);
  // `watch` only streams: it has no single document.
  const format = guessed === 'json' && name === 'watch' ? 'jsonl' : guessed;
  const output = createOutput(io, {
    format,
    streams: isStreaming(name),
    quiet: false,
    verbose: false,
    answerStyle: decideStyle(io.stdout, io.env, undefined),
    noteStyle: decideStyle(io.stderr, io.env, undefined),
  });
  const call: Call = { argv, io, dependencies, interrupts, format, output, exitCode: 0, context: null };
  const left = interrupts.leaveAtOnce.then((exitCode) => {
    if (format !== 'text' && !call.output.isAnswered()) call.output.problem(toInterrupted(exitCode));
    return exitCode;
  });
  try {
    const exitCode = await Promise.race([dispatch(call, name), left]);
    await flush(io);
    return interrupts.caught() === 'closed-pipe' ? 0 : exitCode;
  } finally {
    interrupts.dispose();
  }
}

async function dispatch(call: Call, name: string | undefined): Promise<number> {
  const { argv, io, format } = call;
  const words = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv;
  if (words.includes('-V') || words.includes('--version')) {
    const { version } = call.dependencies;
    if (format === 'text') call.output.answer(version);
    else call.output.document({ type: 'version', version });
    return 0;
  }
  let help = '';
  const program = createProgram(createLaunch(call), {
    columns: io.stdout.columns ?? 100,
    colour: call.output.answerStyle.colour,
    writeHelp: (text) => (help += text),
  });
  try {
    await program.parseAsync(argv.length === 0 ? ['--help'] : [...argv], { from: 'user' });
    return tellHelp(call, help);
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return tellHelp(call, help);
    return tellError(call, error, name);
  }
}

/** Help that was asked for is an answer, in the format of the call. */
function tellHelp(call: Call, text: string): number {
  if (text === '') return call.exitCode;
  if (call.format === 'text') call.output.answer(text);
  else call.output.document({ type: 'help', text });
  return 0;
}

function tellError(call: Call, error: unknown, name: string | undefined): number {
  const caught = call.interrupts.caught();
  if (caught === 'closed-pipe') return 0;
  if (caught !== null) {
    // Whatever broke off after a signal broke off because of it.
    const exitCode = exitCodeOfSignal[caught];
    if (!call.output.isAnswered()) call.output.problem(toInterrupted(exitCode));
    return exitCode;
  }
  const toCommand = call.context?.toCommand ?? ((...words: string[]) => ['tributary', ...words].join(' '));
  const told = error instanceof CommanderError ? toUsageProblem(error, name) : toProblem(error, toCommand);
  const isBareUsage = told.exitCode === 2 && told.next.length === 0 && name !== undefined;
  const problem: Problem = isBareUsage
    ? { ...told, why: told.why ?? 'Nothing was started.', next: [['usage', `tributary ${name} --help`]] }
    : told;
  call.output.problem(problem);
  return problem.exitCode;
}

function toInterrupted(exitCode: number): Problem {
  return { code: 'INTERRUPTED', exitCode, what: 'interrupted', next: [] };
}

/** Pipes take what is written later; a process that exits before would cut the answer off. */
async function flush(io: CliIo): Promise<void> {
  for (const stream of [io.stdout, io.stderr]) {
    await new Promise<void>((resolve) => stream.write('', () => resolve()));
  }
}
