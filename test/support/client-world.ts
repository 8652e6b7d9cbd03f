/** A client over the test server, with a model that each test scripts by subagent and turn. */
import { ResearchClient, type ResearchClientOptions } from '../../src/client/research-client.ts';
import type { StartInput } from '../../src/client/research-api.ts';
import type { RunEvent } from '../../src/contract/run-view.ts';
import type { ModelReply } from '../../src/contract/model.ts';
import type { Model, ModelRequest } from '../../src/models/model.ts';
import { defineTool, type Tool } from '../../src/tools/tool.ts';
import { z } from 'zod';
import type { Gate } from './gate.ts';
import type { TestWorld } from './temporal.ts';

const usage = { inputTokens: 100, outputTokens: 20 };
const model = 'scripted:client';

/** Reads one document that exists for every query. */
export const readTool: Tool = defineTool({
  name: 'read',
  description: 'reads',
  effect: 'read',
  input: z.object({ query: z.string() }),
  run: async ({ query }) => ({
    text: `the words of ${query}`,
    sources: [{ id: query, url: `file:${query}`, title: query.toUpperCase() }],
  }),
});

/** Each subagent reads a document on its first turn and reports on the second. `gate` holds calls as `s1 turn 2`. */
export function createReader(options: { readonly gate?: Gate; readonly report?: string } = {}): Model {
  return {
    name: model,
    countTokens: async () => null,
    async call({ task }: ModelRequest, { signal, onRequest }): Promise<ModelReply> {
      onRequest();
      const reply = { text: '', toolCalls: [], finish: 'stop', usage } as const;
      switch (task.kind) {
        case 'plan':
          return { ...reply, text: JSON.stringify({ subtasks: ['first', 'second', 'third'] }) };
        case 'research': {
          await options.gate?.pass(`${task.subagentId} turn ${task.turn}`, signal);
          const document = `doc-${task.subagentId}`;
          if (task.turn === 1 && !task.handBack) {
            return { ...reply, finish: 'tool-calls', toolCalls: [{ name: 'read', arguments: { query: document } }] };
          }
          const claims = [
            { text: `claim of ${task.subagentId}`, sourceId: document, quote: `the words of ${document}` },
          ];
          return { ...reply, text: JSON.stringify({ summary: 'found', claims, tried: [], failed: [] }) };
        }
        case 'synthesize':
          await options.gate?.pass('synthesis', signal);
          return { ...reply, text: options.report ?? 'All of it [s1.1].' };
        default:
          return task satisfies never;
      }
    },
  };
}

export function createClient(world: TestWorld, options: Partial<ResearchClientOptions> = {}): ResearchClient {
  return new ResearchClient({ client: world.client, taskQueue: world.taskQueue, identity: 'tester', ...options });
}

export function toInput(input: Partial<StartInput> = {}): StartInput {
  return { question: 'Why is the sky blue?', models: { planner: model, subagent: model, synthesis: model }, ...input };
}

/** All events up to the end of the stream, or until `isEnough`. */
export async function collect(
  events: AsyncIterable<RunEvent>,
  isEnough: (event: RunEvent) => boolean = () => false,
): Promise<RunEvent[]> {
  const seen: RunEvent[] = [];
  for await (const event of events) {
    seen.push(event);
    if (isEnough(event)) break;
  }
  return seen;
}
