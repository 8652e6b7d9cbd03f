/** The flags of `run`, `start` and `estimate` that say what the run is asked to do. */
import { z } from 'zod';
import { approvalRuleSchema } from '../../contract/control.ts';
import { defaults } from '../../contract/defaults.ts';
import { runIdSchema } from '../../contract/ids.ts';
import {
  baseUrlSchema,
  budgetOptionsSchema,
  joinSchema,
  minSuccessSchema,
  modelNameSchema,
  tenantSchema,
  webPolicySchema,
} from '../../contract/request.ts';
import { toolPolicySchema } from '../../contract/tool.ts';
import { durationFlag, switchFlag, textFlag, usdFlag, wholeNumberFlag } from './flag-values.ts';
import { onEventFlag } from './on-event-flag.ts';
import type { FlagTable } from './flag-table.ts';

const count = (value: number) => value.toLocaleString('en');
const run = 'Run:';
const plan = 'Plan and join:';
const models = 'Models:';
const budget = 'Budget:';
const tools = 'Tools:';

const minSuccessFlag = z
  .string()
  .transform((text) => (/^[1-9]\d*$/.test(text) ? Number(text) : text))
  .pipe(minSuccessSchema);

/** `tool`, or `tool:{"argument": "value"}`. */
const allowFlag = z.string().transform((text, context) => {
  const at = text.indexOf(':{');
  const tool = at < 0 ? text : text.slice(0, at);
  try {
    const rule = approvalRuleSchema.safeParse({
      tool,
      ...(at >= 0 && { args: JSON.parse(text.slice(at + 1)) as unknown }),
    });
    if (rule.success) return rule.data;
  } catch {
    // told below
  }
  context.addIssue({
    code: 'custom',
    message: 'wanted a tool, or one with arguments such as note:{"k":"v"}',
    input: text,
  });
  return z.NEVER;
});

export const requestFlags = {
  '--instructions': {
    usage: '--instructions <text>',
    help: 'how to go about it, for every model of the run: what counts, what to leave out, how to write',
    schema: textFlag,
    group: run,
  },
  '--title': { usage: '--title <text>', help: 'what lists call the run', schema: textFlag, group: run },
  '--tag': {
    usage: '--tag <word>',
    help: 'tag to find it by; may be repeated',
    schema: z.array(textFlag),
    repeat: true,
    group: run,
  },
  '--tenant': {
    usage: '--tenant <name>',
    help: 'who it is for: tenants take turns where a limit makes model calls wait',
    schema: tenantSchema,
    group: run,
  },
  '--run-id': { usage: '--run-id <id>', help: 'id of the run instead of a new one', schema: runIdSchema, group: run },
  '--request-id': {
    usage: '--request-id <key>',
    help: 'two starts with the same key are one run',
    schema: textFlag,
    group: run,
  },
  '--on-event': {
    usage: '--on-event <address|command>',
    help: 'tell this webhook, or run this command with JSON on its stdin, when the run needs a person and when it ends',
    schema: onEventFlag,
    group: run,
  },
  '--corpus': { usage: '--corpus <folder>', help: 'folder of documents to research', schema: textFlag, group: run },
  '--model': {
    usage: '--model <name>',
    help: 'extractive, scripted:FILE, or openai/, openai-chat/, anthropic/, google/ or compatible/ with a model (default TRIBUTARY_MODEL, else extractive)',
    schema: modelNameSchema,
    group: models,
  },
  '--planner-model': {
    usage: '--planner-model <name>',
    help: 'model of the plan (default --model)',
    schema: modelNameSchema,
    group: models,
  },
  '--subagent-model': {
    usage: '--subagent-model <name>',
    help: 'model of the subagents (default --model)',
    schema: modelNameSchema,
    group: models,
  },
  '--synthesis-model': {
    usage: '--synthesis-model <name>',
    help: 'model of the report (default --model)',
    schema: modelNameSchema,
    group: models,
  },
  '--base-url': {
    usage: '--base-url <address>',
    help: 'server of a compatible/ model, such as http://127.0.0.1:11434/v1 (default TRIBUTARY_BASE_URL)',
    schema: baseUrlSchema,
    group: models,
  },
  '--attempts': {
    usage: '--attempts <n>',
    help: `HTTP requests that one model call may make (default ${defaults.modelAttempts})`,
    schema: wholeNumberFlag(20),
    group: models,
  },
  '--max-output-tokens': {
    usage: '--max-output-tokens <n>',
    help: `tokens of one reply, reasoning included (default ${count(defaults.maxOutputTokens)})`,
    schema: wholeNumberFlag(200_000),
    group: models,
  },
  '--parallel-tool-calls': {
    usage: '--parallel-tool-calls <on|off>',
    help: 'whether a model may make several tool calls at once (default on)',
    schema: switchFlag,
    group: models,
  },
  '--batching-prompt': {
    usage: '--batching-prompt <on|off>',
    help: 'the line that asks a model to make independent calls at once (default on)',
    schema: switchFlag,
    group: models,
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
  '--max-depth': {
    usage: '--max-depth <n>',
    help: `levels of subagents, 1 to 3; above 1 they may start some of their own (default ${defaults.maxDepth})`,
    schema: wholeNumberFlag(3),
    group: plan,
  },
  '--concurrency': {
    usage: '--concurrency <n>',
    help: 'subagents at a time (default all, or what a known limit of their model pays for)',
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
  '--progressive': {
    usage: '--progressive',
    help: 'drafts of the report as subagents end; the last one is kept if the run is cancelled',
    group: plan,
  },
  '--plan': {
    usage: '--plan <auto|review>',
    help: `review: the plan waits for your approval before a subagent starts (default ${defaults.plan})`,
    schema: z.enum(['auto', 'review']),
    group: plan,
  },
  '--person-timeout': {
    usage: '--person-timeout <duration>',
    help: `how long a plan, an approval or a paused budget waits (default ${defaults.personTimeoutMs / 3_600_000}h)`,
    schema: durationFlag,
    group: plan,
  },
  '--max-turns': {
    usage: '--max-turns <n>',
    help: `model calls of one subagent, the last one without tools (default ${defaults.maxTurns})`,
    schema: wholeNumberFlag(100),
    group: plan,
  },
  '--budget-usd': {
    usage: '--budget-usd <amount>',
    help: 'USD of the whole run (default no limit); every model needs a known price',
    schema: usdFlag,
    group: budget,
  },
  '--prices': {
    usage: '--prices <file>',
    help: 'YAML or JSON with prices by model, in USD per million tokens (default TRIBUTARY_PRICES)',
    schema: textFlag,
    group: budget,
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
  '--on-exhausted': {
    usage: '--on-exhausted <what>',
    help: 'when nothing is left: pause (default on a terminal), finalize (default elsewhere) or fail',
    schema: budgetOptionsSchema.shape.onExhausted.unwrap(),
    group: budget,
  },
  '--approvals': {
    usage: '--approvals <ask|deny>',
    help: `what becomes of calls that ask first: a person decides, or they are denied (default ${defaults.approvals})`,
    schema: z.enum(['ask', 'deny']),
    group: tools,
  },
  '--allow': {
    usage: '--allow <tool[:json]>',
    help: 'calls of this tool, with these arguments, need no approval; may be repeated',
    schema: z.array(allowFlag),
    repeat: true,
    group: tools,
  },
  '--max-tool-calls': {
    usage: '--max-tool-calls <n>',
    help: `tool calls of one turn (default ${defaults.maxToolCallsPerTurn})`,
    schema: wholeNumberFlag(1_000),
    group: tools,
  },
  '--tool-deadline': {
    usage: '--tool-deadline <duration>',
    help: `time of one tool call (default ${defaults.toolDeadlineMs / 1_000}s)`,
    schema: durationFlag,
    group: tools,
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
  '--tool-output-chars': {
    usage: '--tool-output-chars <n>',
    help: `characters of one tool result that a model gets (default ${count(defaults.toolOutputChars)})`,
    schema: wholeNumberFlag(400_000),
    group: tools,
  },
  '--tool': {
    usage: '--tool <name>',
    help: 'offer this tool, and no others that are not named; may be repeated',
    schema: z.array(textFlag),
    repeat: true,
    group: tools,
  },
  '--site': {
    usage: '--site <domain>',
    help: 'let the web tools reach this domain, and no others that are not named; may be repeated',
    schema: webPolicySchema.shape.sites.unwrap(),
    repeat: true,
    group: tools,
  },
  '--block-site': {
    usage: '--block-site <domain>',
    help: 'keep the web tools from this domain; may be repeated',
    schema: webPolicySchema.shape.blockedSites.unwrap(),
    repeat: true,
    group: tools,
  },
} as const satisfies FlagTable;
