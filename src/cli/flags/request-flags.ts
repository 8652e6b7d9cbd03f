/** The flags of `run` and `start` that say what the run is asked to do. */
import { z } from 'zod';
import { defaults } from '../../contract/defaults.ts';
import { runIdSchema } from '../../contract/ids.ts';
import { joinSchema, minSuccessSchema, modelNameSchema } from '../../contract/request.ts';
import { toolPolicySchema } from '../../contract/tool.ts';
import { durationFlag, textFlag, wholeNumberFlag } from './flag-values.ts';
import type { FlagTable } from './flag-table.ts';

const count = (value: number) => value.toLocaleString('en');
const run = 'Run:';
const plan = 'Plan and join:';
const budget = 'Budget:';
const tools = 'Tools:';

const minSuccessFlag = z
  .string()
  .transform((text) => (/^[1-9]\d*$/.test(text) ? Number(text) : text))
  .pipe(minSuccessSchema);

export const requestFlags = {
  '--title': { usage: '--title <text>', help: 'what lists call the run', schema: textFlag, group: run },
  '--tag': {
    usage: '--tag <word>',
    help: 'tag to find it by; may be repeated',
    schema: z.array(textFlag),
    repeat: true,
    group: run,
  },
  '--run-id': { usage: '--run-id <id>', help: 'id of the run instead of a new one', schema: runIdSchema, group: run },
  '--request-id': {
    usage: '--request-id <key>',
    help: 'two starts with the same key are one run',
    schema: textFlag,
    group: run,
  },
  '--corpus': { usage: '--corpus <folder>', help: 'folder of documents to research', schema: textFlag, group: run },
  '--model': {
    usage: '--model <name>',
    help: 'extractive, scripted:FILE or vendor/model (default TRIBUTARY_MODEL, else extractive)',
    schema: modelNameSchema,
    group: run,
  },
  '--subtask': {
    usage: '--subtask <goal>',
    help: 'a subtask, instead of a plan; may be repeated',
    schema: z.array(textFlag),
    repeat: true,
    group: plan,
  },
  '--max-subagents': {
    usage: '--max-subagents <n>',
    help: `subagents that a plan may have (default ${defaults.maxSubagents})`,
    schema: wholeNumberFlag(1_000),
    group: plan,
  },
  '--concurrency': {
    usage: '--concurrency <n>',
    help: 'subagents at a time (default all)',
    schema: wholeNumberFlag(1_000),
    group: plan,
  },
  '--join': {
    usage: '--join <policy>',
    help: `all, partial or first (default ${defaults.join.kind})`,
    schema: joinSchema.shape.kind.unwrap(),
    group: plan,
  },
  '--min-success': {
    usage: '--min-success <n|share>',
    help: `subagents that must succeed: a number, or a share such as 50% (default ${defaults.join.minSuccess})`,
    schema: minSuccessFlag,
    group: plan,
  },
  '--deadline': {
    usage: '--deadline <duration>',
    help: 'what still runs this long after the fan-out is cancelled (90s, 10m)',
    schema: durationFlag,
    group: plan,
  },
  '--max-turns': {
    usage: '--max-turns <n>',
    help: `model calls of one subagent, the last one without tools (default ${defaults.maxTurns})`,
    schema: wholeNumberFlag(100),
    group: plan,
  },
  '--budget-tokens': {
    usage: '--budget-tokens <n>',
    help: `tokens of the whole run (default ${count(defaults.budgetTokens)})`,
    schema: wholeNumberFlag(),
    group: budget,
  },
  '--budget-calls': {
    usage: '--budget-calls <n>',
    help: `tool calls of the whole run (default ${defaults.budgetToolCalls})`,
    schema: wholeNumberFlag(),
    group: budget,
  },
  '--budget-time': {
    usage: '--budget-time <duration>',
    help: `time of the whole run (default ${defaults.budgetWallClockMs / 60_000}m)`,
    schema: durationFlag,
    group: budget,
  },
  '--subagent-tokens': {
    usage: '--subagent-tokens <n>',
    help: 'tokens of one subagent (default an equal share)',
    schema: wholeNumberFlag(),
    group: budget,
  },
  '--tool-policy': {
    usage: '--tool-policy <policy>',
    help: `parallel, bounded, sequential or serialize-writes (default ${defaults.toolPolicy})`,
    schema: toolPolicySchema,
    group: tools,
  },
  '--tool-concurrency': {
    usage: '--tool-concurrency <n>',
    help: `tool calls of one turn at a time (default all, at most ${defaults.maxToolCallsPerTurn})`,
    schema: wholeNumberFlag(),
    group: tools,
  },
} as const satisfies FlagTable;
