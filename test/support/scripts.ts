/** Models and tools for tests of workflows: scripted in the file format, with gates and a record of every request. */
import { z } from 'zod';
import type { ModelReply } from '../../src/contract/model.ts';
import { createScriptedModel } from '../../src/models/scripted/scripted-model.ts';
import { parseScript } from '../../src/models/scripted/script.ts';
import type { Model, ModelRequest, PromptMessage } from '../../src/models/model.ts';
import { defineTool, type Tool, type ToolContext, type ToolOutput } from '../../src/tools/tool.ts';

export type RecordedRequest = { place: string; request: ModelRequest; aborted?: boolean };
export type RecordedModel = Model & { readonly requests: RecordedRequest[] };

/** The scripted model of the product, with `before` called for each request (a gate, a failure). */
export function scriptedModel(
  script: unknown,
  before: (place: string, signal: AbortSignal, request: ModelRequest) => Promise<void> | void = () => undefined,
): RecordedModel {
  const inner = createScriptedModel('scripted:test', parseScript(script, 'test'));
  const requests: RecordedModel['requests'] = [];
  return {
    name: inner.name,
    requests,
    countTokens: (request, options) => inner.countTokens(request, options),
    async call(request, options): Promise<ModelReply> {
      const { task } = request;
      const place = task.kind === 'research' ? `${task.subagentId} turn ${task.turn}` : task.kind;
      const entry: RecordedRequest = { place, request };
      requests.push(entry);
      // What a test holds up in `before` is a request that is out.
      options.onRequest();
      try {
        await before(place, options.signal, request);
        return await inner.call(request, { ...options, onRequest: () => undefined });
      } catch (error) {
        entry.aborted = options.signal.aborted;
        throw error;
      }
    },
  };
}

/** A subagent that answers at once. */
export const answers = (summary: string) => [{ report: { summary } }];
/** Subtasks `goal 1` … for `count` subagents. */
export const subtasks = (count: number) => Array.from({ length: count }, (_, index) => ({ goal: `goal ${index + 1}` }));

/** A turn with these calls, each `[tool, arguments]`. */
export const turnWith = (...calls: [tool: string, args?: unknown][]) => ({
  calls: calls.map(([tool, args]) => ({ tool, arguments: args ?? {} })),
});

/** The same call for each key of `keys`: `{ key }` is its argument. */
export const callsOf = (tool: string, keys: readonly (string | number)[]) =>
  turnWith(...keys.map((key): [string, unknown] => [tool, { key: String(key) }]));

/** A tool over an optional `key`; whatever else is given is passed through. */
export function keyTool(
  name: string,
  run: (key: string, context: ToolContext) => Promise<ToolOutput | string> | ToolOutput | string,
  options: { effect?: 'read' | 'write'; session?: boolean; idempotent?: boolean } = {},
): Tool {
  return defineTool({
    name,
    description: `Does ${name}.`,
    effect: 'read',
    ...options,
    input: z.object({ key: z.string().optional() }),
    async run({ key }, context) {
      const output = await run(key ?? '', context);
      return typeof output === 'string' ? { text: output } : output;
    },
  });
}

export type SeenResult = Extract<PromptMessage, { role: 'tool' }>['results'][number];

/** The answers that a request carries to the calls of the turn before it. */
export function resultsIn(request: ModelRequest): readonly SeenResult[] {
  const last = request.messages.findLast((message) => message.role === 'tool');
  return last?.role === 'tool' ? last.results : [];
}

/** The answers that `place` was sent, such as `s1 turn 2`. */
export function resultsAt(model: RecordedModel, place: string): readonly SeenResult[] {
  const found = model.requests.findLast((each) => each.place === place);
  if (!found)
    throw new Error(`no request of ${place}; there were ${model.requests.map((each) => each.place).join(', ')}`);
  return resultsIn(found.request);
}

/** A script in which `s1` makes one batch of calls and then answers. */
export const oneBatch = (turn: { calls: unknown[] }) => ({ subagents: { s1: [turn, ...answers('done')] } });

/** Holds every model call of a subagent at the gate; with `places`, only those. */
export const holdTurns =
  (gate: { pass(name: string, signal?: AbortSignal): Promise<void> }, places?: readonly string[]) =>
  async (place: string, signal: AbortSignal): Promise<void> => {
    if (places ? places.includes(place) : place.includes(' turn ')) await gate.pass(place, signal);
  };

/** How each subagent ended, in the order given: `s2 failed (provider)`. */
export const endsOf = (result: {
  subagents: readonly { id: string; status: string; reason?: string | undefined }[];
}): string[] => result.subagents.map(({ id, status, reason }) => `${id} ${status}${reason ? ` (${reason})` : ''}`);
