/** Tells a webhook or a command of a run. At least once: what was under way when a worker died is sent again. */
import type { NotifyStep } from '../contract/run-notice.ts';
import { toApplicationFailure } from '../temporal/failure-codec.ts';
import { runCancellable } from './cancellable.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { postNotice } from './post-notice.ts';
import { runCommand } from './run-command.ts';

const postMs = 10_000;
const commandMs = 30_000;
/** The rest of the worker's environment, its keys above all, is not the command's. */
const passedOn = ['PATH', 'HOME', 'LANG'];

export function createNotifyActivity({ notices }: Pick<ActivityDependencies, 'notices'>) {
  return async function notifyActivity({ onEvent, notice }: NotifyStep): Promise<void> {
    return runCancellable(async ({ signal }) => {
      switch (onEvent.kind) {
        case 'webhook':
          return postNotice(onEvent.url, notice, { fetch: notices.fetch, limitMs: postMs, signal });
        case 'command':
          if (!(await notices.mayRun(onEvent.command))) throw notAllowed();
          return runCommand(onEvent.command, {
            input: `${JSON.stringify(notice)}\n`,
            env: { ...pickEnvironment(), TRIBUTARY_RUN_ID: notice.runId, TRIBUTARY_STATUS: notice.status },
            limitMs: commandMs,
            signal,
          });
        default:
          onEvent satisfies never;
      }
    });
  };
}

function pickEnvironment(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    passedOn.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}

function notAllowed(): Error {
  const message =
    'this worker does not run the command: on one machine it must come from the command line over the same data folder, on a cluster TRIBUTARY_ALLOW_COMMANDS=1 in the environment of every worker allows all; or name a webhook';
  return toApplicationFailure({ code: 'NOTICE_FAILED', message }, { nonRetryable: true });
}
