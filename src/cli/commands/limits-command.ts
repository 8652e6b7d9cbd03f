/** `limits`: what the providers allow, and what follows from it. */
import type { Command } from 'commander';
import type { Launch } from '../launch.ts';
import { defineLimitsPlanCommand } from './limits-plan-command.ts';
import { defineLimitsSetCommand } from './limits-set-command.ts';
import { defineLimitsShowCommand } from './limits-show-command.ts';

export function defineLimitsCommand(program: Command, launch: Launch): void {
  const group = program
    .command('limits')
    .description('requests and tokens a minute: set, show, plan')
    .helpCommand(false);
  defineLimitsSetCommand(group, launch);
  defineLimitsShowCommand(group, launch);
  defineLimitsPlanCommand(group, launch);
}
