/** One command in a process group of its own, without a shell. Whatever stops it stops the whole group. */
import { spawn, type ChildProcess } from 'node:child_process';
import { previewText } from '../domain/text.ts';
import { toApplicationFailure } from '../temporal/failure-codec.ts';

/** What a group has between the request to stop and its death. */
const termMs = 1_000;
/** Output that is still on its way when the command has ended. A child that it left behind may hold the pipe for ever. */
const drainMs = 200;
const maxSaidChars = 200;

type Ending = { readonly code: number | null; readonly killedBy: NodeJS.Signals | null };

/**
 * Resolves when the command has ended with exit code 0.
 *
 * @throws NOTICE_FAILED, never to be repeated: what a command has done before it failed is not known
 */
export async function runCommand(
  command: readonly string[],
  options: {
    /** Written to its stdin; it need not read it. */
    readonly input: string;
    readonly env: Readonly<Record<string, string>>;
    readonly limitMs: number;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const { input, env, limitMs, signal } = options;
  signal.throwIfAborted();
  const [program = '', ...rest] = command;
  const deadline = AbortSignal.timeout(limitMs);
  const stop = AbortSignal.any([signal, deadline]);
  const child = spawn(program, rest, { detached: true, stdio: ['pipe', 'ignore', 'pipe'], env });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    if (said.length < maxSaidChars) said += text;
  });
  child.stdin.on('error', () => undefined); // it has closed its end
  child.stdin.end(input);
  const ending = await waitForEnd(child, stop).catch((error: NodeJS.ErrnoException) => {
    throw failed(`the command ${program} could not be started: ${error.code ?? error.message}`);
  });
  signal.throwIfAborted();
  if (deadline.aborted) throw failed(`the command ${program} was stopped after ${limitMs / 1_000} s`);
  if (ending.code === 0) return;
  const how = ending.code === null ? `was ended by ${ending.killedBy}` : `ended with exit code ${ending.code}`;
  const why = previewText(said, maxSaidChars);
  throw failed(`the command ${program} ${how}${why && `: ${why}`}`);
}

/** Resolves when the command itself has ended. Rejects where it could not be started. */
async function waitForEnd(child: ChildProcess, stop: AbortSignal): Promise<Ending> {
  let killing: NodeJS.Timeout | undefined;
  const onStop = () => {
    killGroup(child, 'SIGTERM');
    killing = setTimeout(() => killGroup(child, 'SIGKILL'), termMs);
  };
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const exited = new Promise<Ending>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, killedBy) => resolve({ code, killedBy }));
  });
  if (stop.aborted) onStop();
  else stop.addEventListener('abort', onStop, { once: true });
  try {
    const ending = await exited;
    await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, drainMs))]);
    if (stop.aborted) killGroup(child, 'SIGKILL'); // those that outlived its leader
    return ending;
  } finally {
    stop.removeEventListener('abort', onStop);
    clearTimeout(killing);
    child.stderr?.destroy();
  }
}

function killGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // nobody of the group is left
  }
}

function failed(message: string): Error {
  return toApplicationFailure({ code: 'NOTICE_FAILED', message }, { nonRetryable: true });
}
