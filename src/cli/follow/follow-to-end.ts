/** What `run` and `watch` have in common: a view, a worker where nobody else works, and an end that is told. */
import type { RunHandle } from '../../client/research-api.ts';
import type { RunDescription, RunEvent } from '../../contract/run-view.ts';
import type { Backend } from '../cli-dependencies.ts';
import type { CommandContext } from '../command-context.ts';
import { ProblemError, toProblem } from '../output/problem.ts';
import { isLiveTerminal } from '../output/style.ts';
import { followRun } from './follow-run.ts';
import type { FollowView } from './follow-view.ts';
import { silentView } from './follow-view.ts';
import { createLineLogView } from './line-log-view.ts';
import { createLiveView } from './live-view.ts';
import { createOwnWorker } from './own-worker.ts';
import { tellEnd, toLeftProblem, type EndOptions } from './tell-end.ts';

export type FollowFlags = EndOptions & {
  readonly mayWork: boolean;
  readonly cancelOnInterrupt: boolean;
  readonly untilBlocked: boolean;
};

/** Exit code of the command. */
export async function followToEnd(
  context: CommandContext,
  backend: Backend,
  handle: RunHandle,
  flags: FollowFlags,
): Promise<number> {
  const { output, interrupts, toCommand } = context;
  const say = (line: string) => output.note(line);
  const worker = createOwnWorker(backend, {
    allowed: flags.mayWork,
    verbose: output.verbose,
    say,
    workerCommand: toCommand('worker'),
  });
  const view = createView(context, () =>
    flags.cancelOnInterrupt
      ? 'Ctrl-C cancels the run'
      : worker.willRest()
        ? 'Ctrl-C leaves; the run then rests until a worker goes on with it'
        : 'Ctrl-C detaches; the run goes on',
  );
  let run: RunDescription | null = null;
  interrupts.onLeave((exitCode) => {
    view.close();
    output.problem({ ...toLeftProblem(context, handle.runId, run, worker.willRest()), exitCode });
  });
  try {
    const end = await followRun(handle, {
      view,
      worker,
      interrupts,
      timeoutMs: context.everywhere['--timeout'],
      cancelOnInterrupt: flags.cancelOnInterrupt,
      untilBlocked: flags.untilBlocked,
      say,
      onState: (state) => (run = state),
    });
    interrupts.onLeave(() => undefined);
    return await tellEnd(context, handle.runId, end, { ...flags, willRest: worker.willRest() });
  } catch (error) {
    const known = run as RunDescription | null;
    const at = { runId: handle.runId, ...(known && { status: known.status, cursor: known.cursor }) };
    throw new ProblemError({ ...toProblem(error, toCommand), run: at });
  } finally {
    if (worker.isRunning() && output.verbose) output.note('stopping the worker …');
    await worker.stop();
  }
}

function createView(context: CommandContext, hint: () => string): FollowView {
  const { output, io } = context;
  if (output.format === 'jsonl') {
    // The last line is told by whoever knows the exit code.
    const show = (_: RunDescription, event: RunEvent | null) => {
      if (event && event.type !== 'result') output.document(event);
    };
    return { show, close: () => undefined };
  }
  if (output.quiet) return silentView;
  if (!isLiveTerminal(io.stderr, io.env) || output.verbose)
    return createLineLogView((line) => output.note(line), output.noteStyle);
  const live = createLiveView(io.stderr, { style: output.noteStyle, hint, toCommand: context.toCommand });
  output.redirectNotes((line) => live.note(line));
  return {
    show: (run, event) => live.show(run, event),
    close() {
      output.redirectNotes(null);
      live.close();
    },
  };
}
