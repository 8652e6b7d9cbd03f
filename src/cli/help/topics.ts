/** The topics of `tributary help TOPIC`: text for people, and the same as data. */
import { defaults } from '../../contract/defaults.ts';
import { exitCodes } from '../output/exit-codes.ts';
import { eventSchema } from './event-schema.ts';
import { z } from 'zod';

export type Topic = { readonly title: string; readonly lines: readonly string[]; readonly data: () => object };

const environment: Readonly<Record<string, string>> = {
  TRIBUTARY_MODEL: 'model of a run that names none with --model',
  OPENAI_API_KEY: 'key for openai/ and openai-chat/ models; OPENAI_BASE_URL for another address',
  ANTHROPIC_API_KEY: 'key for anthropic/ models; ANTHROPIC_BASE_URL for another address',
  GEMINI_API_KEY:
    'key for google/ models, also GOOGLE_GENERATIVE_AI_API_KEY or GOOGLE_API_KEY; GOOGLE_GEMINI_BASE_URL for another address',
  TRIBUTARY_BASE_URL: 'server of compatible/ models',
  TRIBUTARY_API_KEY: 'key for that server, where it wants one',
  TRIBUTARY_CEILING_TOKENS: 'the most tokens that a worker lets a run have; also _USD, _CALLS and _TIME (2h)',
  TRIBUTARY_PRICES: 'file with prices of models, for --budget-usd',
  TRIBUTARY_LIMITS: 'file with the limits of providers and models, instead of limits.json in the data folder',
  TRIBUTARY_DATABASE_URL: 'PostgreSQL database in which several workers share those limits',
  TAVILY_API_KEY: 'search the web with Tavily',
  BRAVE_API_KEY: 'search the web with Brave',
  SEARXNG_URL: 'search the web with a SearXNG server',
  TRIBUTARY_SEARCH: 'tavily, brave or searxng, where several are set',
  HTTPS_PROXY: 'proxy for models and web tools, also HTTP_PROXY, ALL_PROXY and NO_PROXY',
  NODE_EXTRA_CA_CERTS: 'file with further certificate authorities to trust',
  TRIBUTARY_DATA_DIR: 'folder of the state, instead of .tributary',
  TRIBUTARY_ALLOW_COMMANDS: '1: a worker runs every command of --on-event, also on a cluster; 0: it runs none',
  TEMPORAL_CLI_PATH: 'Temporal binary of the embedded server',
  TEMPORAL_ADDRESS: 'use this Temporal server instead of the embedded one',
  TEMPORAL_NAMESPACE: 'namespace on that server',
  TEMPORAL_PROFILE: 'profile of temporal.toml to connect with',
  NO_COLOR: 'no colour, whatever the terminal can',
  FORCE_COLOR: 'colour, whatever the terminal can; goes before NO_COLOR',
  CI: 'never redraw, never colour unless told to',
};

const output: readonly string[] = [
  'stdout is the answer and nothing else: the report of run and result, the id of start, the tables of list and estimate.',
  'Progress, questions, hints and warnings go to stderr; --quiet leaves only errors there.',
  '',
  '-o json    one JSON document, for an empty list and for an error too: {"type":"error","exitCode":…,"error":{…}}',
  '-o jsonl   one object a line; run, watch, retry and rerun begin with a snapshot and end with exactly one result, on every path',
  '',
  'A run that takes over another one says whose work it is: origin, with what that run had spent, and for each subagent',
  'reusedFrom, or again with the reason. show lists the other way round: successors of a run.',
  'Every object carries its type; every result and every error carries the exit code of the process.',
  'Without a terminal there is no colour, no redrawing and no question; the progress is one line per change of state',
  'and a heartbeat a minute. Without a Unicode locale the marks are [ok] [x] [..].',
  'Ctrl-C while following detaches: the run goes on. A second Ctrl-C leaves at once.',
];

const events: Readonly<Record<string, string>> = {
  snapshot: 'the whole run at this moment; always the first line',
  'run-status': 'the run is queued, planning, running, synthesizing, cancelling, or has ended',
  'plan-approved': 'the subtasks of the run',
  'subagent-status': 'a subagent starts, is taken over from another run, is cancelled, or ends, and why',
  'tool-call-started': 'a tool call leaves',
  'tool-call-finished': 'its answer has arrived, or it failed',
  'source-found': 'a document was read',
  'finding-added': 'a claim with the sources that bear it out',
  'budget-updated': 'what the run has spent, holds back and has left',
  'subagent-live': 'an open call is tried again; shown, never counted',
  resync: 'the stream was taken up again from a new snapshot',
  result: 'the end, with the result and the exit code; always the last line',
};

export const topics: Readonly<Record<string, Topic>> = {
  output: { title: 'What is printed where', lines: output, data: () => output.filter(Boolean) },
  'exit-codes': { title: 'Exit codes', lines: toTable(exitCodes), data: () => exitCodes },
  environment: { title: 'Environment variables', lines: toTable(environment), data: () => environment },
  events: {
    title: 'Events of run -o jsonl and watch --json (help events --json prints their JSON schema)',
    lines: toTable(events),
    data: () => z.toJSONSchema(eventSchema, { io: 'input' }),
  },
  defaults: { title: 'Defaults', lines: toTable(flatten(defaults)), data: () => defaults },
};

function toTable(rows: Readonly<Record<string, string>>): string[] {
  const width = Math.max(...Object.keys(rows).map((key) => key.length));
  return Object.entries(rows).map(([key, text]) => `${key.padEnd(width)}  ${text}`);
}

function flatten(value: object, prefix = ''): Record<string, string> {
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, entry]: [string, object | string | number | null]) =>
      typeof entry === 'object' && entry !== null
        ? Object.entries(flatten(entry, `${prefix}${key}.`))
        : [[prefix + key, entry === null ? 'none' : String(entry)]],
    ),
  );
}
