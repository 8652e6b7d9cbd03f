/** `limits set`: writes a limit to the file, and has the server keep its requests a minute from this moment on. */
import type { Command } from 'commander';
import { z } from 'zod';
import { TributaryError } from '../../contract/failure.ts';
import type { RateLimit, RateLimits } from '../../contract/rate-limits.ts';
import type { Backend } from '../cli-dependencies.ts';
import type { CommandContext } from '../command-context.ts';
import type { FlagTable } from '../flags/flag-table.ts';
import { wholeNumberFlag } from '../flags/flag-values.ts';
import { withRunningBackend } from '../limits/with-running-backend.ts';
import { readCommandFlags, type Launch } from '../launch.ts';
import { tellLimit } from './limits-show-command.ts';

const wanted = 'wanted a whole number of at least 1, or none';
const limitFlag = z.union([z.literal('none').transform(() => null), wholeNumberFlag(100_000_000)], { error: wanted });
const group = 'Limits:';
const flags = {
  '--rpm': { usage: '--rpm <n>', help: 'requests a minute, or none', schema: limitFlag, group },
  '--tpm': {
    usage: '--tpm <n>',
    help: 'tokens a minute, input and output together, or none',
    schema: limitFlag,
    group,
  },
  '--tenant-rpm': {
    usage: '--tenant-rpm <n>',
    help: 'requests a minute of one --tenant, or none',
    schema: limitFlag,
    group,
  },
} as const satisfies FlagTable;

export function defineLimitsSetCommand(parent: Command, launch: Launch): void {
  const command = parent
    .command('set')
    .argument('<name>', 'a provider such as openai, or a model such as openai/gpt-5')
    .description('set what a provider allows; what is not named stays');
  launch(command, flags, async (context) => {
    const values = readCommandFlags(context, flags);
    const changes = { rpm: values['--rpm'], tpm: values['--tpm'], tenantRpm: values['--tenant-rpm'] };
    const { limits } = await context.openInstallation();
    const name = context.args[0]!;
    const problem = limits.findNameProblem(name);
    if (problem !== null) throw new TributaryError('INVALID_REQUEST', `name: ${problem}`);
    if (Object.values(changes).every((each) => each === undefined))
      throw new TributaryError('INVALID_REQUEST', 'wanted --rpm, --tpm or --tenant-rpm, came none of them');
    const before = await limits.read({ mayBeNew: true });
    const limit = merge(before[name] ?? {}, changes);
    await limits.write(withEntry(before, name, limit));
    const asksServer = [before[name], limit].some((each) => each?.rpm !== undefined || each?.tenantRpm !== undefined);
    const taskQueue = asksServer ? limits.queueOf(name) : null;
    const applied =
      taskQueue === null
        ? null
        : await withRunningBackend(
            context,
            async (backend) => backend && (await apply(backend, taskQueue, limit)),
          ).catch((error: unknown) => toRefusal(context, error));
    tell(context, { name, limit, taskQueue, applied, file: limits.path, asksServer });
    return 0;
  });
}

/** `null`: no server was told. */
type Applied = { readonly kind: 'kept' } | { readonly kind: 'refused'; readonly message: string } | null;

async function apply(backend: Backend, taskQueue: string, limit: RateLimit): Promise<Applied> {
  await backend.applyQueueLimit(taskQueue, limit);
  return { kind: 'kept' };
}

/** The file is written: a server that is away or has no such limits is told of it, or replaced, by the workers. */
function toRefusal({ interrupts }: CommandContext, error: unknown): Applied {
  interrupts.signal.throwIfAborted();
  return { kind: 'refused', message: (error as Error).message };
}

type Changes = Readonly<Record<keyof RateLimit, number | null | undefined>>;

function merge(before: RateLimit, changes: Changes): RateLimit {
  const entries = (['rpm', 'tpm', 'tenantRpm'] as const).flatMap((key) => {
    const value = changes[key] === undefined ? before[key] : changes[key];
    return value === undefined || value === null ? [] : [[key, value] as const];
  });
  return Object.fromEntries(entries);
}

/** An entry without any limit is no entry. */
function withEntry(limits: RateLimits, name: string, limit: RateLimit): RateLimits {
  const others = Object.fromEntries(Object.entries(limits).filter(([each]) => each !== name));
  return Object.keys(limit).length === 0 ? others : { ...others, [name]: limit };
}

function tell(
  { output }: CommandContext,
  told: {
    readonly name: string;
    readonly limit: RateLimit;
    readonly taskQueue: string | null;
    readonly applied: Applied;
    readonly file: string;
    readonly asksServer: boolean;
  },
): void {
  const { name, limit, taskQueue, applied, file, asksServer } = told;
  if (output.format !== 'text') {
    output.document({ type: 'limits-set', name, ...limit, file, taskQueue, server: applied ?? { kind: 'not-told' } });
    return;
  }
  output.answer(`${name}: ${tellLimit(limit)}`);
  if (applied?.kind === 'kept')
    output.note(`  the server keeps it for task queue ${taskQueue}, from now on and for all workers`);
  else if (applied) output.note(`  the server does not keep it (${applied.message}); workers set it when they start`);
  else if (asksServer)
    output.note(
      `  no server was told${taskQueue === null ? ': no key of it is set here' : ''}; a worker tells it when it starts`,
    );
  output.note(`  written to ${file}; workers that run read it when they are started again`);
}
