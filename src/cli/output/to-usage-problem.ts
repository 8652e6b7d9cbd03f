/** Commander's complaints, told like every other problem. */
import type { CommanderError } from 'commander';
import type { Problem } from './problem.ts';

/** Exit code 2 whatever Commander thinks of it. `name` is the command of the call, where it has one. */
export function toUsageProblem(error: CommanderError, name: string | undefined): Problem {
  const isKnown = error.code !== 'commander.unknownCommand' && name !== undefined;
  const [what = '', suggestion] = error.message.replace(/^error: /, '').split('\n');
  const missing = /^option '(?:-\w, )?(--[\w-]+) [^']*' argument missing$/.exec(what);
  const quotes = error.code === 'commander.excessArguments' ? 'A question of several words needs quotes.' : undefined;
  const why = suggestion?.trim().replace(/^\((.*)\)$/, '$1') ?? quotes;
  return {
    code: 'INVALID_REQUEST',
    exitCode: 2,
    what:
      error.code === 'commander.help'
        ? 'wanted a command, came none'
        : missing
          ? `${missing[1]}: wanted a value, came nothing`
          : what,
    ...(why !== undefined && why !== '' && { why }),
    next: [['usage', isKnown ? `tributary ${name} --help` : 'tributary --help']],
  };
}
