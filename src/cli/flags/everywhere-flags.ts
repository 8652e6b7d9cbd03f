/** The flags that every command takes. */
import { durationFlag, textFlag, wordFlag } from './flag-values.ts';
import type { FlagTable } from './flag-table.ts';

const group = 'Everywhere:';

export const everywhereFlags = {
  '--output': {
    usage: '-o, --output <format>',
    help: 'text, json (one document) or jsonl (one object a line)',
    schema: wordFlag(['text', 'json', 'jsonl']),
    group,
  },
  '--json': { usage: '--json', help: 'the same as --output json; jsonl on watch, which only streams', group },
  '--quiet': { usage: '-q, --quiet', help: 'print the answer and errors, nothing else', group },
  '--verbose': { usage: '-v, --verbose', help: 'log to stderr, and show the stack of an error', group },
  '--color': {
    usage: '--color <when>',
    help: 'auto, always or never',
    schema: wordFlag(['auto', 'always', 'never']),
    group,
  },
  '--no-color': { usage: '--no-color', help: 'the same as --color never', group },
  '--no-input': { usage: '--no-input', help: 'never ask', group },
  '--yes': { usage: '-y, --yes', help: 'answer every question with yes', group },
  '--timeout': {
    usage: '--timeout <duration>',
    help: 'wait at most this long (90s, 10m, 2h); the run itself goes on',
    schema: durationFlag,
    group,
  },
  '--data-dir': {
    usage: '--data-dir <folder>',
    help: 'state of the embedded server and of the store (default .tributary)',
    schema: textFlag,
    group,
  },
  '--address': {
    usage: '--address <host:port>',
    help: 'use this Temporal server instead of the embedded one',
    schema: textFlag,
    group,
  },
  '--namespace': { usage: '--namespace <name>', help: 'namespace on that server', schema: textFlag, group },
  '--profile': { usage: '--profile <name>', help: 'profile of temporal.toml to connect with', schema: textFlag, group },
} as const satisfies FlagTable;
