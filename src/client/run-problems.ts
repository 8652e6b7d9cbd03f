/** What is wrong with a run that cannot be read, or cannot be taken over, in the same words wherever it is found out. */
import type { Client } from '@temporalio/client';
import { TributaryError } from '../contract/failure.ts';

export function runNotFound({ options }: Client, runId: string, cause?: unknown): TributaryError {
  return new TributaryError('RUN_NOT_FOUND', `there is no run "${runId}" in the namespace "${options.namespace}"`, {
    cause,
  });
}

export function runOpen(runId: string): TributaryError {
  return new TributaryError(
    'RUN_OPEN',
    `the run ${runId} is still going on: cancel it first, or wait for its end; one that goes on cannot be taken over`,
  );
}
