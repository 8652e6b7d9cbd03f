/** The port of a tool, and how one is defined. */
import type { z } from 'zod';
import { describeIssues } from '../contract/invalid-input.ts';
import type { ToolDescription } from '../contract/tool.ts';
import { toInputSchema } from './to-input-schema.ts';

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
  /** Goals that subagents of the caller are to work on; what they hand back takes the place of `text`. */
  readonly delegated?: readonly string[];
};

export interface Tool {
  readonly description: ToolDescription;
  /** The problem with these arguments in a sentence, or `null`. Never runs anything. */
  check(input: Record<string, unknown>): string | null;
  /** Rejects with `TributaryError` `TOOL_FAILED` where a repeat may help; any other rejection is the model's to read. */
  run(input: Record<string, unknown>, context: ToolContext): Promise<ToolOutput>;
}

/**
 * Builds a tool whose arguments are checked by `input` before `run` sees them. `null` for an optional field counts as
 * absent. Throws where `input` holds a construct that not every vendor can be told of, unless `portable` is `false`:
 * then such a vendor's models are told less, and the check stays whole.
 */
export function defineTool<T extends z.ZodObject>(definition: {
  name: string;
  description: string;
  effect: 'read' | 'write';
  session?: boolean;
  idempotent?: boolean;
  /** A person decides on each call first; the run's request can allow some beforehand. */
  asksFirst?: boolean;
  portable?: boolean;
  input: T;
  run(input: z.output<T>, context: ToolContext): Promise<ToolOutput>;
}): Tool {
  const parse = (input: Record<string, unknown>) => {
    const parsed = definition.input.safeParse(input);
    if (parsed.success) return parsed;
    // Models write `null` for what they leave out (CASES B18).
    const paths = parsed.error.issues.map(({ path }) => path);
    return definition.input.safeParse(withoutRefusedNulls(input, paths));
  };
  return {
    description: {
      name: definition.name,
      description: definition.description,
      effect: definition.effect,
      session: definition.session ?? false,
      idempotent: definition.idempotent ?? false,
      ...(definition.asksFirst === true && { asksFirst: true }),
      inputSchema: toInputSchema(definition.name, definition.input, definition.portable ?? true),
    },
    check(input) {
      const parsed = parse(input);
      return parsed.success ? null : describeIssues(parsed.error, input).join('; ');
    },
    async run(input, context) {
      const { data, error } = parse(input);
      if (error) throw error;
      return definition.run(data, context);
    },
  };
}

/** Without each `null` that stands where the schema complained; a field that may be `null` keeps its own. */
function withoutRefusedNulls(input: unknown, paths: readonly (readonly PropertyKey[])[]): unknown {
  const copy = structuredClone(input);
  for (const path of paths) {
    const parent = path.slice(0, -1).reduce((value, key) => (value as Record<PropertyKey, unknown>)[key], copy);
    const fields = parent as Record<PropertyKey, unknown>;
    const key = path.at(-1);
    if (key !== undefined && !Array.isArray(parent) && fields[key] === null) delete fields[key];
  }
  return copy;
}
