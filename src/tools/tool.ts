/** The port of a tool, and how one is defined. */
import { z } from 'zod';
import { describeIssues } from '../contract/invalid-input.ts';
import type { ToolDescription } from '../contract/tool.ts';

export type ToolContext = {
  /** Fires on cancellation and at the deadline. Pass it to every fetch, process and SDK call. */
  readonly signal: AbortSignal;
  /** Workflow id + call id: the same on every attempt of this call. */
  readonly idempotencyKey: string;
};

export type ToolOutput = {
  /** What the model reads. Cut to the run's cap by the caller. */
  readonly text: string;
  /** Documents whose words stand in `text`; only these can be cited. */
  readonly sources?: readonly { readonly id: string; readonly url: string; readonly title: string }[];
};

export interface Tool {
  readonly description: ToolDescription;
  /** The problem with these arguments in a sentence, or `null`. Never runs anything. */
  check(input: Record<string, unknown>): string | null;
  /** Rejects with `TributaryError` `TOOL_FAILED` where a repeat may help; any other rejection is the model's to read. */
  run(input: Record<string, unknown>, context: ToolContext): Promise<ToolOutput>;
}

/** Builds a tool whose arguments are checked by `input` before `run` sees them. `null` for an optional field counts as absent. */
export function defineTool<T extends z.ZodObject>(definition: {
  name: string;
  description: string;
  effect: 'read' | 'write';
  session?: boolean;
  idempotent?: boolean;
  input: T;
  run(input: z.output<T>, context: ToolContext): Promise<ToolOutput>;
}): Tool {
  const withoutNulls = (value: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(value).filter(([, each]) => each !== null));
  return {
    description: {
      name: definition.name,
      description: definition.description,
      effect: definition.effect,
      session: definition.session ?? false,
      idempotent: definition.idempotent ?? false,
      inputSchema: z.toJSONSchema(definition.input, { io: 'input', target: 'draft-7' }),
    },
    check(input) {
      const parsed = definition.input.safeParse(withoutNulls(input));
      return parsed.success ? null : describeIssues(parsed.error, input).join('; ');
    },
    run: async (input, context) => definition.run(definition.input.parse(withoutNulls(input)), context),
  };
}
