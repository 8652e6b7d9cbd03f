/** Tells how following ended, in the format of the call, and answers with the exit code. */
import { writeFile } from 'node:fs/promises';
import type { RunResult } from '../../contract/result.ts';
import type { RunDescription, RunEvent } from '../../contract/run-view.ts';
import { failureCodeOf } from '../../contract/failure.ts';
import type { CommandContext } from '../command-context.ts';
import { exitCodeOfSignal } from '../output/exit-codes.ts';
import { toPlainLine, toPlainText } from '../output/plain-text.ts';
import type { Problem } from '../output/problem.ts';
import { formatDuration } from '../view/format.ts';
import { toNeeds } from '../view/render-needs.ts';
import { renderSummary } from '../view/render-summary.ts';
import type { FollowEnd } from './follow-run.ts';

export type EndOptions = {
  /** A partial run is as good as a completed one. */
  readonly allowPartial: boolean;
  /** File for the report, instead of stdout. */
  readonly out?: string;
};

export async function tellEnd(
  context: CommandContext,
  runId: string,
  end: FollowEnd,
  options: EndOptions & { readonly willRest: boolean },
): Promise<number> {
  switch (end.kind) {
    case 'ended':
      return tellResult(context, end.result, options, end.event);
    case 'left': {
      if (context.interrupts.caught() === 'closed-pipe') return 0;
      const problem = toLeftProblem(context, runId, end.run, options.willRest);
      context.output.problem(
        end.cancelled
          ? { ...problem, what: `${runId}: the cancel is recorded, but not everything has stopped yet` }
          : problem,
      );
      return problem.exitCode;
    }
    case 'blocked': {
      const problem = toBlockedProblem(context, end.run);
      context.output.problem(problem);
      return problem.exitCode;
    }
    case 'timeout': {
      const problem = toTimeoutProblem(context, runId, end.run, options.willRest);
      context.output.problem(problem);
      return problem.exitCode;
    }
    default:
      return end satisfies never;
  }
}

/**
 * The report on stdout or in its file, the document or the last line, and the summary for people. Exit code of the
 * command, which the document says too.
 */
export async function tellResult(
  context: CommandContext,
  result: RunResult,
  options: EndOptions,
  event?: Extract<RunEvent, { type: 'result' }>,
): Promise<number> {
  const { output, toCommand } = context;
  const report = result.report === null ? null : toPlainText(result.report);
  const unwritten = report === null || options.out === undefined ? null : await writeReport(options.out, report);
  const isGood = options.allowPartial && result.status === 'partial';
  const exitCode = unwritten ? unwritten.exitCode : isGood ? 0 : result.exitCode;
  if (output.format === 'text') {
    // A report is never lost to a full disk.
    if (report !== null && (options.out === undefined || unwritten)) output.answer(report);
  } else if (output.format === 'json' || !event) output.document({ ...result, exitCode });
  else output.document({ ...event, exitCode, result: { ...result, exitCode } });
  if (output.quiet && output.format === 'text' && report === null) output.problem(toEndProblem(result));
  if (output.format !== 'jsonl') {
    for (const line of renderSummary(result, { style: output.noteStyle, toCommand })) output.note(line);
  }
  if (unwritten) output.problem(unwritten);
  else if (report !== null && options.out !== undefined) output.note(`  report written to ${options.out}`);
  return exitCode;
}

function toEndProblem(result: RunResult): Problem {
  return {
    code: failureCodeOf(result.failure) ?? 'INTERNAL',
    exitCode: result.exitCode,
    what: `${result.runId} ${result.status}`,
    ...(result.failure && { why: toPlainLine(result.failure.message) }),
    next: [],
  };
}

async function writeReport(path: string, report: string): Promise<Problem | null> {
  try {
    await writeFile(path, report.endsWith('\n') ? report : `${report}\n`);
    return null;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { code: 'INTERNAL', exitCode: 1, what: `--out: the report could not be written to ${path}`, why, next: [] };
  }
}

/** Detached by a signal. `willRest`: nobody works on the run once this command has gone. */
export function toLeftProblem(
  context: CommandContext,
  runId: string,
  run: RunDescription | null,
  willRest: boolean,
): Problem {
  const { toCommand, interrupts } = context;
  const caught = interrupts.caught();
  return {
    code: 'INTERRUPTED',
    exitCode: caught === null || caught === 'closed-pipe' ? 0 : exitCodeOfSignal[caught],
    what: willRest
      ? `the run rests; \`${toCommand('worker')}\` or \`${toCommand('watch', runId)}\` goes on with it`
      : 'detached; the run goes on',
    next: [
      ...(willRest ? [] : [['come back', toCommand('watch', runId)] as const]),
      ['cancel', toCommand('cancel', runId)],
    ],
    run: { runId, ...(run && { status: run.status, cursor: run.cursor }) },
  };
}

/** Nobody who could be asked is at this terminal. */
function toBlockedProblem({ toCommand }: CommandContext, run: RunDescription): Problem {
  const needs = toNeeds(run, toCommand);
  const { runId, status, cursor } = run;
  return {
    code: 'INPUT_NEEDED',
    exitCode: 7,
    what: `${runId} is ${status}${needs[0] ? `: ${needs[0].what}` : ''}`,
    ...(needs.length > 1 && {
      why: `${needs.length - 1} more: ${needs
        .slice(1)
        .map(({ what }) => what)
        .join('; ')}`,
    }),
    next: [...(needs[0]?.next ?? []), ['then follow it', toCommand('watch', runId)]],
    run: { runId, status, cursor },
  };
}

function toTimeoutProblem(
  context: CommandContext,
  runId: string,
  run: RunDescription | null,
  willRest: boolean,
): Problem {
  const { toCommand, everywhere } = context;
  return {
    ...toLeftProblem(context, runId, run, willRest),
    code: 'WAIT_TIMEOUT',
    exitCode: 8,
    what: `${runId} is still ${run?.status ?? 'running'} after ${formatDuration(everywhere['--timeout'] ?? 0)}`,
    why: willRest ? 'It rests until a worker goes on with it.' : 'It goes on without this command.',
    next: [
      ['come back', toCommand('watch', runId)],
      ...(willRest ? [['go on', toCommand('worker')] as const] : []),
      ['cancel', toCommand('cancel', runId)],
    ],
  };
}
