/** Where `ui` and `dev` serve the page, to whom, and what a request may name there. */
import { resolve } from 'node:path';
import { z } from 'zod';
import { TributaryError } from '../../contract/failure.ts';
import type { PageOptions } from '../cli-dependencies.ts';
import type { CommandContext } from '../command-context.ts';
import { readCommandFlags } from '../launch.ts';
import { findPathProblem } from './find-path-problem.ts';
import type { FlagTable } from './flag-table.ts';
import { textFlag, wholeNumberFlag, wordListFlag } from './flag-values.ts';

const group = 'Page:';
const corpusFlag = z
  .string()
  .regex(/^[A-Za-z0-9._-]{1,64}=.+$/s, 'wanted a name and a folder such as docs=./documents');

export const serveFlags = {
  '--port': {
    usage: '--port <n>',
    help: 'port of the page and the API (default: 7450, or the next that is free)',
    schema: wholeNumberFlag(65_535),
    group,
  },
  '--host': {
    usage: '--host <address>',
    help: 'address to listen on (default: 127.0.0.1); any that others can reach needs a token',
    schema: textFlag,
    group,
  },
  '--token': {
    usage: '--token <token>',
    help: 'ask for this token, or LABEL:TOKEN (rather set TRIBUTARY_WEB_TOKEN: flags can be seen by others)',
    schema: textFlag,
    group,
  },
  '--read-only': { usage: '--read-only', help: 'show everything, change nothing', group },
  '--corpora': {
    usage: '--corpora <name=dir>',
    help: 'a folder of documents that runs may be started on, by this name (repeat)',
    schema: z.array(corpusFlag),
    repeat: true,
    group,
  },
  '--allow-host': {
    usage: '--allow-host <name>',
    help: 'a further name that browsers reach it by (repeat)',
    schema: z.array(z.string().regex(/^[A-Za-z0-9._-]{1,253}$/, 'wanted a host name such as research.example.org')),
    repeat: true,
    group,
  },
  '--accept': {
    usage: '--accept <what>',
    help: 'let requests name scripted models, a base-url, a webhook or a command too (repeat)',
    schema: wordListFlag(['scripted', 'base-url', 'webhook', 'command']),
    repeat: true,
    group,
  },
} as const satisfies FlagTable;

/** `INVALID_REQUEST` with one problem a line. */
export async function readServeFlags(context: CommandContext): Promise<PageOptions> {
  const own = readCommandFlags(context, serveFlags);
  const corpora: Record<string, string> = {};
  const problems: string[] = [];
  for (const text of own['--corpora'] ?? []) {
    const [name = '', ...rest] = text.split('=');
    const path = resolve(rest.join('='));
    const problem = await findPathProblem('--corpora', path, 'folder');
    if (problem !== null) problems.push(problem);
    if (Object.hasOwn(corpora, name)) problems.push(`--corpora: wanted each name once, came "${name}" twice`);
    corpora[name] = path;
  }
  if (problems.length > 0) throw new TributaryError('INVALID_REQUEST', problems.join('\n'));
  const installation = await context.openInstallation();
  const token = own['--token'] ?? installation.webToken;
  return {
    version: context.dependencies.version,
    defaultModel: installation.model,
    prices: await installation.readPrices(undefined),
    corpora,
    readOnly: own['--read-only'] === true,
    accept: own['--accept'] ?? [],
    allowedHosts: own['--allow-host'] ?? [],
    ...(own['--port'] !== undefined && { port: own['--port'] }),
    ...(own['--host'] !== undefined && { host: own['--host'] }),
    ...(token !== null && { token }),
  };
}
