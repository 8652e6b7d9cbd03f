/** The file format of a scripted model, and how it is read. See docs/guides/scripted-model.md. */
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { durationSchema } from '../../contract/duration.ts';
import { failureCodes, TributaryError, type FailureCode } from '../../contract/failure.ts';
import { describeIssues } from '../../contract/invalid-input.ts';
import { finishReasonSchema } from '../../contract/model.ts';

const modelFailureCodes = failureCodes.filter((code) => code.startsWith('MODEL_')) as [FailureCode, ...FailureCode[]];
const tokens = z.number().int().nonnegative();

/** What one request is answered with. Without anything in it: an empty answer. */
const stepSchema = z.strictObject({
  /** Before the answer; overrides the script's own. */
  latency: durationSchema.optional(),
  calls: z.array(z.strictObject({ tool: z.string(), arguments: z.unknown().optional() })).optional(),
  text: z.string().optional(),
  /** A hand-back, written out as the JSON that a model would answer with. */
  report: z
    .strictObject({
      summary: z.string().default(''),
      claims: z
        .array(
          z.strictObject({
            text: z.string().min(1),
            quote: z.string().min(1),
            /** Path of a corpus document that was read in an earlier turn, or `sourceId` itself. */
            document: z.string().optional(),
            sourceId: z.string().optional(),
          }),
        )
        .default([]),
      tried: z.array(z.string()).default([]),
      failed: z.array(z.string()).default([]),
    })
    .optional(),
  finish: finishReasonSchema.optional(),
  /** Stated usage; `none`: the answer does not say. Absent: a quarter of the bytes, rounded up. */
  usage: z.union([z.literal('none'), z.strictObject({ inputTokens: tokens, outputTokens: tokens })]).optional(),
  fail: z
    .strictObject({
      code: z.enum(modelFailureCodes),
      message: z.string().optional(),
      /** Requests that fail before one is answered; absent = all of them. */
      times: z.number().int().min(1).optional(),
      retryAfter: durationSchema.optional(),
    })
    .optional(),
  /** Never answers; ends when it is cancelled. */
  hang: z.literal(true).optional(),
});
export type ScriptStep = Readonly<z.infer<typeof stepSchema>>;

const subagentSchema = z.union([
  z
    .array(stepSchema)
    .min(1)
    .transform((turns) => ({ turns, handBack: undefined })),
  z.strictObject({ turns: z.array(stepSchema).min(1), handBack: stepSchema.optional() }),
]);

const scriptSchema = z.strictObject({
  latency: durationSchema.optional(),
  /** Appends a line of JSON for each request and its end; the path is relative to the script. */
  log: z.string().min(1).optional(),
  plan: z.union([z.array(z.string().min(1)).min(1), stepSchema]).optional(),
  /** By subagent id; `"*"` is for all without an entry. */
  subagents: z.record(z.string(), subagentSchema).default({}),
  synthesis: stepSchema.optional(),
});
export type Script = Readonly<z.infer<typeof scriptSchema>>;

/** Reads a script from JSON or YAML. `MODEL_SCRIPT_INVALID` names the file, the field, what was wanted and what came. */
export async function readScript(file: string): Promise<Script> {
  let content: unknown;
  try {
    content = parse(await readFile(file, 'utf8'));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new TributaryError(
      'MODEL_SCRIPT_INVALID',
      `scripted model ${file}: wanted a readable JSON or YAML file, found: ${why}`,
      { cause: error },
    );
  }
  const script = parseScript(content, file);
  return script.log === undefined ? script : { ...script, log: resolve(dirname(file), script.log) };
}

/** Checks a script that was read already; `file` is for the words of the refusal. */
export function parseScript(content: unknown, file: string): Script {
  const parsed = scriptSchema.safeParse(content);
  if (parsed.success) return parsed.data;
  throw new TributaryError(
    'MODEL_SCRIPT_INVALID',
    `scripted model ${file}: ${describeIssues(parsed.error, content).join('; ')}`,
  );
}
