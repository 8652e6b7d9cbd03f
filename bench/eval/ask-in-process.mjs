/** Asks the extractive model and the corpus tools alone: the loop of a run without Temporal, for a quick look. */
import { toPath } from './to-path.mjs';
import { openCorpus } from '../../dist/tools/corpus/open-corpus.js';
import { createCorpusTools } from '../../dist/tools/corpus/create-corpus-tools.js';
import { createExtractiveModel } from '../../dist/models/extractive/extractive-model.js';

const maxSubagents = 6;
const maxTurns = 10;
const maxOutputTokens = 4_096;
const outlineLimit = 24;
const maxOutputChars = 16_000;
const options = { signal: AbortSignal.any([]) };

/**
 * @param {{ corpus: string, indexDir: string }} where
 * @returns {Promise<{ ask(question: string): Promise<{ report: string, cited: string[] }>, close(): Promise<void> }>}
 */
export async function openInProcess({ corpus: folder, indexDir }) {
  const corpus = await openCorpus(folder, { indexDir });
  const tools = createCorpusTools(corpus);
  const model = createExtractiveModel();
  const request = (task, messages, offered) => ({ task, messages, tools: offered, maxOutputTokens });

  async function runCall(call, callId) {
    const tool = tools.find(({ description }) => description.name === call.name);
    try {
      const { text, sources = [] } = await tool.run(call.arguments, { ...options, idempotencyKey: callId });
      return { result: { callId, name: call.name, isError: false, text: text.slice(0, maxOutputChars) }, sources };
    } catch (error) {
      return { result: { callId, name: call.name, isError: true, text: error.message }, sources: [] };
    }
  }

  async function research(question, goal, id) {
    const messages = [
      { role: 'system', text: 'You are one of several subagents.' },
      { role: 'user', text: `${question}\n\n${goal}` },
    ];
    const sources = new Map();
    for (let turn = 1; turn <= maxTurns; turn++) {
      const handBack = turn === maxTurns;
      const task = { kind: 'research', subagentId: id, question, goal, turn, handBack };
      const offered = handBack ? [] : tools.map(({ description }) => description);
      const reply = await model.call(request(task, messages, offered), options);
      if (reply.toolCalls.length === 0) return { report: JSON.parse(reply.text), sources };
      const calls = reply.toolCalls.map((call, at) => ({ callId: `t${turn}c${at + 1}`, ...call }));
      const answers = await Promise.all(calls.map((call) => runCall(call, call.callId)));
      for (const source of answers.flatMap((answer) => answer.sources)) sources.set(source.id, source);
      messages.push({ role: 'assistant', text: reply.text, toolCalls: calls });
      messages.push({ role: 'tool', results: answers.map(({ result }) => result) });
    }
    throw new Error(`${id} never handed back`);
  }

  return {
    async ask(question) {
      const outline = corpus.outline(question, outlineLimit);
      const plan = await model.call(
        request({ kind: 'plan', question, maxSubagents, outline, attempt: 1 }, [], []),
        options,
      );
      const { subtasks } = JSON.parse(plan.text);
      const inputs = [];
      const sources = new Map();
      for (const [at, { goal }] of subtasks.entries()) {
        const id = `s${at + 1}`;
        const found = await research(question, goal, id);
        for (const [key, source] of found.sources) sources.set(key, source);
        const claimIds = found.report.claims.map((_, index) => `${id}.${index + 1}`);
        inputs.push({ id, goal, status: 'done', report: found.report, claimIds });
      }
      const titles = Object.fromEntries([...sources.values()].map(({ id, title }) => [id, title]));
      const synthesis = await model.call(request({ kind: 'synthesize', question, inputs, titles }, [], []), options);
      const claims = new Map(
        inputs.flatMap((input) => input.report.claims.map((claim, at) => [input.claimIds[at], claim])),
      );
      const markers = [...synthesis.text.matchAll(/\[(s\d+\.\d+)\]/g)].map(([, id]) => id);
      const urls = markers.map((id) => sources.get(claims.get(id).sourceId).url);
      return { report: synthesis.text, cited: [...new Set(urls)].map(toPath) };
    },
    close: async () => {},
  };
}
