/** The output contract: stdout is the answer alone, stderr everything else, JSON is one document or one object a line. */
import type { CliIo } from '../cli-io.ts';
import type { Problem } from './problem.ts';
import { paintText, type Style } from './style.ts';

export type Format = 'text' | 'json' | 'jsonl';

export type OutputOptions = {
  /** The command follows a run: with `jsonl` its last line is a `result`, whatever happens. */
  readonly streams: boolean;
  readonly format: Format;
  readonly quiet: boolean;
  readonly verbose: boolean;
  /** Styles of stdout and stderr. */
  readonly answerStyle: Style;
  readonly noteStyle: Style;
};

export type Output = OutputOptions & {
  /** Text of the answer; ends with a line break. */
  answer(text: string): void;
  /** The one document of `json`, or one line of `jsonl`. */
  document(value: object): void;
  /** Whether the answer is complete: the document of `json`, or the last line of a stream, was written. */
  isAnswered(): boolean;
  /** A line for people, on stderr; nothing with `--quiet`. */
  note(line: string): void;
  /** Notes go through `writeLine` while a view owns the terminal; `null` = straight to stderr again. */
  redirectNotes(writeLine: ((line: string) => void) | null): void;
  /** The end that a problem makes: text on stderr, or the document where none was written yet. */
  problem(problem: Problem): void;
};

// JSON leaves C1 controls as they are, and some terminals obey them.
const controls = /[\u007f-\u009f]/g;

/** JSON that is safe on a terminal too. */
export function toJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(
    controls,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

export function createOutput(io: CliIo, options: OutputOptions): Output {
  let isAnswered = false;
  let redirected: ((line: string) => void) | null = null;
  const writeLines = (lines: readonly string[]) => io.stderr.write(lines.map((line) => `${line}\n`).join(''));
  const document = (value: object) => {
    const type = (value as { type?: unknown }).type;
    isAnswered ||= options.format === 'json' || type === 'result' || type === 'error';
    // Readers of a stream look at the type first.
    const ordered = type === undefined ? value : { type, ...value };
    io.stdout.write(`${options.format === 'json' ? toJson(ordered, 2) : toJson(ordered)}\n`);
  };
  return {
    ...options,
    answer: (text) => void io.stdout.write(text.endsWith('\n') ? text : `${text}\n`),
    document,
    isAnswered: () => isAnswered,
    note: (line) => {
      if (options.quiet) return;
      if (redirected) redirected(line);
      else writeLines([line]);
    },
    redirectNotes: (writeLine) => void (redirected = writeLine),
    problem: (problem) => {
      if (options.format === 'text' || isAnswered) {
        writeLines(renderProblem(problem, options));
      } else {
        document(toErrorDocument(problem, options));
        if (options.verbose && problem.stack) writeLines([problem.stack]);
      }
    },
  };
}

/** One line per command, so that it can be taken whole. */
export function renderNext(next: Problem['next']): string[] {
  const width = Math.max(0, ...next.map(([purpose]) => purpose.length));
  return next.map(([purpose, command]) => `  ${`${purpose}:`.padEnd(width + 1)}  ${command}`);
}

function renderProblem(problem: Problem, options: OutputOptions): string[] {
  const interrupted = problem.code === 'INTERRUPTED';
  if (interrupted && options.quiet) return [];
  const label = interrupted ? '' : `${paintText(options.noteStyle, 'red', 'error:')} `;
  return [
    label + problem.what,
    ...(problem.others ?? []).map((other) => `  ${other}`),
    ...(problem.why === undefined ? [] : [`  ${problem.why}`]),
    ...renderNext(problem.next),
    ...(options.verbose && problem.stack ? [problem.stack] : []),
  ];
}

/** `{"type":"error","exitCode":…,"error":{"code":…,"message":…}}`; a stream of events ends in a `result` instead. */
function toErrorDocument(problem: Problem, options: OutputOptions): object {
  const { exitCode, run } = problem;
  const error = toErrorFields(problem);
  if (!options.streams || options.format !== 'jsonl') return { type: 'error', ...run, exitCode, error };
  return { type: 'result', at: new Date().toISOString(), ...run, exitCode, error };
}

function toErrorFields(problem: Problem): object {
  return {
    code: problem.code,
    message: problem.what,
    ...(problem.others !== undefined && { problems: [problem.what, ...problem.others] }),
    ...(problem.why !== undefined && { why: problem.why }),
    ...(problem.next.length > 0 && { next: problem.next.map(([, command]) => command) }),
    ...(problem.run && { runId: problem.run.runId }),
  };
}
