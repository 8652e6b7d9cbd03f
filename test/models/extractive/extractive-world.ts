/** A subagent of the extractive model, driven turn by turn over a corpus, as a run does it. */
import { subagentReportSchema, type SubagentReport } from '../../../src/contract/outcome.ts';
import { createExtractiveModel } from '../../../src/models/extractive/extractive-model.ts';
import type { ModelRequest, PromptMessage } from '../../../src/models/model.ts';
import { createCorpusTools } from '../../../src/tools/corpus/create-corpus-tools.ts';
import type { Tool } from '../../../src/tools/tool.ts';
import { openFiles, type Files } from '../../tools/corpus-folder.ts';

export const options = { signal: AbortSignal.any([]), onRequest: () => undefined };
export const model = createExtractiveModel();

export function toRequest(task: ModelRequest['task'], rest: Partial<ModelRequest> = {}): ModelRequest {
  return {
    task,
    messages: [],
    tools: [],
    toolChoice: 'auto',
    parallelToolCalls: true,
    maxOutputTokens: 4_096,
    ...rest,
  };
}

export type Research = {
  readonly report: SubagentReport;
  readonly messages: readonly PromptMessage[];
  readonly turns: number;
  /** Everything that was read, by source id. */
  readonly texts: ReadonlyMap<string, string>;
};

type Answers = (name: string, run: () => Promise<string>) => Promise<string>;

/** `answer` stands between a call and its tool; a rejection is an error result. `handBackAt`: the turn without tools. */
export async function research(
  files: Files,
  goal: string,
  settings: {
    question?: string;
    answer?: Answers;
    handBackAt?: number;
    maxOutputTokens?: number;
    toolNames?: string[];
  } = {},
): Promise<Research> {
  const { question = goal, answer = async (_, run) => run(), handBackAt = 10, maxOutputTokens = 4_096 } = settings;
  const tools = createCorpusTools(await openFiles(files));
  const offered = tools.filter(({ description }) => settings.toolNames?.includes(description.name) ?? true);
  const messages: PromptMessage[] = [{ role: 'user', text: goal }];
  const texts = new Map<string, string>();
  for (let turn = 1; ; turn++) {
    const handBack = turn === handBackAt;
    const task = { kind: 'research', subagentId: 's1', question, goal, turn, handBack } as const;
    const request = toRequest(task, {
      messages,
      tools: offered.map(({ description }) => description),
      toolChoice: handBack ? 'none' : 'auto',
      maxOutputTokens,
    });
    const reply = await model.call(request, options);
    if (reply.toolCalls.length === 0) {
      return { report: subagentReportSchema.parse(JSON.parse(reply.text)), messages, turns: turn, texts };
    }
    if (turn > 10) throw new Error('it never hands back');
    const calls = reply.toolCalls.map(({ name, arguments: input }, at) => ({
      callId: `t${turn}c${at + 1}`,
      name,
      arguments: input as Record<string, unknown>,
    }));
    const results = [];
    for (const call of calls)
      results.push({ callId: call.callId, name: call.name, ...(await runCall(tools, call, answer, texts)) });
    messages.push({ role: 'assistant', text: reply.text, toolCalls: calls }, { role: 'tool', results });
  }
}

async function runCall(
  tools: readonly Tool[],
  call: { callId: string; name: string; arguments: Record<string, unknown> },
  answer: Answers,
  texts: Map<string, string>,
): Promise<{ isError: boolean; text: string }> {
  const tool = tools.find(({ description }) => description.name === call.name)!;
  try {
    const text = await answer(call.name, async () => {
      const output = await tool.run(call.arguments, { ...options, idempotencyKey: call.callId });
      for (const { id } of output.sources ?? []) texts.set(id, `${texts.get(id) ?? ''}\n${output.text}`);
      return output.text;
    });
    return { isError: false, text };
  } catch (error) {
    return { isError: true, text: (error as Error).message };
  }
}
