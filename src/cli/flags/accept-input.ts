/** The last check of an input that was made from flags: every problem is told at once, or nothing stands in its way. */
import type { ChangedInput } from '../../client/research-api.ts';
import { TributaryError, type FailureCode } from '../../contract/failure.ts';
import type { Installation } from '../cli-dependencies.ts';
import { findPathProblem } from './find-path-problem.ts';

/** Rejects with `INVALID_REQUEST` or `CORPUS_UNREADABLE`, one problem a line. A command of `--on-event` is allowed here. */
export async function acceptInput(
  installation: Installation,
  { corpus, onEvent }: Pick<ChangedInput, 'corpus' | 'onEvent'>,
  problems: readonly string[],
): Promise<void> {
  const corpusProblem = corpus === undefined ? null : await findPathProblem('--corpus', corpus, 'folder');
  const all = [...problems, ...(corpusProblem === null ? [] : [corpusProblem])];
  if (all.length === 0) {
    if (onEvent?.kind === 'command') await installation.allowCommand(onEvent.command);
    return;
  }
  const code: FailureCode = problems.length === 0 ? 'CORPUS_UNREADABLE' : 'INVALID_REQUEST';
  throw new TributaryError(code, [...new Set(all)].join('\n'));
}
