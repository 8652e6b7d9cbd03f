/** `limits show`: the limits that are set, and whether the server keeps them. Starts nothing. */
import type { Command } from 'commander';
import type { RateLimit } from '../../contract/rate-limits.ts';
import { formatCount } from '../../domain/text.ts';
import { readLimitStates, tellServerState } from '../limits/read-limit-states.ts';
import { withRunningBackend } from '../limits/with-running-backend.ts';
import { readCommandFlags, type Launch } from '../launch.ts';

export function defineLimitsShowCommand(parent: Command, launch: Launch): void {
  const command = parent.command('show').description('the limits that are set, and whether the server keeps them');
  launch(command, {}, async (context) => {
    readCommandFlags(context, {});
    const { output } = context;
    const installation = await context.openInstallation();
    const { path: file } = installation.limits;
    const states = await withRunningBackend(context, async (backend) => readLimitStates(installation, backend));
    if (output.format !== 'text') {
      output.document({ type: 'limits', file, limits: states.map(({ limit, ...rest }) => ({ ...rest, ...limit })) });
      return 0;
    }
    const width = Math.max(0, ...states.map(({ name }) => name.length));
    const lines = states.flatMap(({ name, limit, maxConcurrency, taskQueue, server }) => {
      const bound =
        maxConcurrency === null ? '' : `; a run works with ${formatCount(maxConcurrency)} subagents at once`;
      const kept = [taskQueue && `queue ${taskQueue}`, tellServerState(server)].filter(Boolean).join(': ');
      return [
        `${name.padEnd(width)}  ${tellLimit(limit)}${bound}`,
        ...(kept === '' ? [] : [`${' '.repeat(width)}  ${kept}`]),
      ];
    });
    if (states.length > 0) output.answer(lines.join('\n'));
    else
      output.note(
        `no limits are set in ${file}. set one:  ${context.toCommand('limits', 'set', 'openai', '--rpm', '600')}`,
      );
    return 0;
  });
}

/** `600 requests, 200,000 tokens a minute; 60 requests a minute of a tenant` */
export function tellLimit({ rpm, tpm, tenantRpm }: RateLimit): string {
  const all = [
    ...(rpm === undefined ? [] : [`${formatCount(rpm)} requests`]),
    ...(tpm === undefined ? [] : [`${formatCount(tpm)} tokens`]),
  ];
  const whole = all.length === 0 ? [] : [`${all.join(', ')} a minute`];
  const tenant = tenantRpm === undefined ? [] : [`${formatCount(tenantRpm)} requests a minute of a tenant`];
  return [...whole, ...tenant].join('; ') || 'no limit';
}
