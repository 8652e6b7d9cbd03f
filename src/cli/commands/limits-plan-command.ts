/** `limits plan`: from requests a minute to calls at once, with every step. Asks no server. */
import type { Command } from 'commander';
import { z } from 'zod';
import { defaults } from '../../contract/defaults.ts';
import { TributaryError } from '../../contract/failure.ts';
import { planConcurrency, varianceFactor } from '../../domain/concurrency.ts';
import { formatCount } from '../../domain/text.ts';
import type { FlagTable } from '../flags/flag-table.ts';
import { durationFlag, wholeNumberFlag } from '../flags/flag-values.ts';
import { readCommandFlags, type Launch } from '../launch.ts';

/** A plain decimal: `0.7`. */
const shareFlag = z
  .string()
  .refine(
    (text) => /^(0?\.\d{1,4}|0|1(\.0{1,4})?)$/.test(text) && Number(text) > 0,
    'wanted a share above 0 and at most 1, such as 0.7',
  )
  .transform(Number);

const group = 'Plan:';
const flags = {
  '--rpm': {
    usage: '--rpm <n>',
    help: 'requests a minute that the provider allows',
    schema: wholeNumberFlag(100_000_000),
    group,
  },
  '--latency': {
    usage: '--latency <duration>',
    help: `mean time of one model call (400ms, 8s; default ${defaults.modelLatencyMs / 1_000}s)`,
    schema: durationFlag,
    group,
  },
  '--calls-per-query': {
    usage: '--calls-per-query <n>',
    help: 'model calls that one query makes',
    schema: wholeNumberFlag(1_000_000),
    group,
  },
  '--headroom': {
    usage: '--headroom <share>',
    help: `share of the limit to plan with (default ${defaults.rateHeadroom})`,
    schema: shareFlag,
    group,
  },
} as const satisfies FlagTable;

export function defineLimitsPlanCommand(parent: Command, launch: Launch): void {
  const command = parent.command('plan').description('how many calls at once a limit pays for, and how that follows');
  launch(command, flags, async (context) => {
    const values = readCommandFlags(context, flags);
    const rpm = values['--rpm'];
    if (rpm === undefined)
      throw new TributaryError('INVALID_REQUEST', '--rpm: wanted a whole number of at least 1, came nothing');
    const headroom = values['--headroom'] ?? defaults.rateHeadroom;
    const latencyMs = values['--latency'] ?? defaults.modelLatencyMs;
    const callsPerQuery = values['--calls-per-query'];
    const plan = planConcurrency({ rpm, headroom, latencyMs, ...(callsPerQuery !== undefined && { callsPerQuery }) });
    if (context.output.format !== 'text') {
      context.output.document({
        type: 'limits-plan',
        rpm,
        headroom,
        latencyMs,
        ...(callsPerQuery !== undefined && { callsPerQuery }),
        ...plan,
      });
      return 0;
    }
    const { usableCallsPerMinute: usable, keptBackRpm, queriesPerMinute, maxConcurrency } = plan;
    const exact = (varianceFactor * rpm * headroom * latencyMs) / 60_000;
    const rows: readonly (readonly [string, number, string, string])[] = [
      ['usable', usable, 'calls a minute', `${rpm} * ${headroom}`],
      ['kept back', keptBackRpm, 'calls a minute', `${rpm} - ${usable}`],
      ...(queriesPerMinute === undefined
        ? []
        : [['queries', queriesPerMinute, 'a minute', `${usable} / ${callsPerQuery} calls, rounded down`] as const]),
      [
        'at once',
        maxConcurrency,
        'calls',
        `${varianceFactor} * ${rpm} * ${headroom} / 60 s * ${latencyMs / 1_000} s = ${Number(exact.toFixed(2))}, rounded up`,
      ],
    ];
    const width = Math.max(...rows.map(([, value]) => formatCount(value).length));
    const lines = rows.map(
      ([name, value, unit, how]) =>
        `${name.padEnd(9)}  ${formatCount(value).padStart(width)} ${unit.padEnd(14)}  ${how}`,
    );
    context.output.answer(lines.join('\n'));
    context.output.note(
      `a run whose model has this limit works with ${maxConcurrency} subagents at once, unless --concurrency says otherwise`,
    );
    return 0;
  });
}
