/** The exit codes of the command line, for `help exit-codes`. */

export const exitCodes = {
  0: 'done; after run, watch, retry, rerun and result: the run completed (or is partial, with --allow-partial)',
  1: 'error: server, network, bug; after replay: the code does not follow a history',
  2: 'usage: unknown flag, bad value, missing argument; nothing was started',
  3: 'the run failed, timed out or was terminated',
  4: 'not signed in, or not allowed',
  5: 'the run is partial: there is a report, and gaps are listed',
  6: 'the run was cancelled',
  7: 'an answer is needed and nobody can be asked',
  8: 'still running when --timeout ended, or not waited for',
  9: 'no such run or subagent',
  10: 'conflict: the run has already ended, or goes on still, or the id is taken',
  130: 'interrupted (SIGINT): detached, the run is still there',
  143: 'interrupted (SIGTERM): detached, the run is still there',
} as const;

/** Exit code of a process that a signal asked to leave. */
export const exitCodeOfSignal = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
export type LeaveSignal = keyof typeof exitCodeOfSignal;
