/** One turn of a subagent: appends the answers to its last calls, asks the model, and stores the reply. */
import { createHash } from 'node:crypto';
import type { CallUsage } from '../contract/budget.ts';
import { defaults } from '../contract/defaults.ts';
import type { ModelReply } from '../contract/model.ts';
import type { PlannedCall } from '../contract/resume.ts';
import type { ModelStep, ModelStepResult } from '../contract/steps.ts';
import type { ToolDescription } from '../contract/tool.ts';
import type { Message, ToolCall, TranscriptHead } from '../contract/transcript.ts';
import { isAllowed } from '../domain/approval-rules.ts';
import { canonicalJson } from '../domain/canonical-json.ts';
import { readReport } from '../domain/report.ts';
import { cleanText, cutText, previewText, utf8Bytes } from '../domain/text.ts';
import { toolErrorText } from '../domain/tool-error-text.ts';
import type { BlobStore } from '../store/blob-store.ts';
import type { Tool } from '../tools/tool.ts';
import { runCancellable } from './cancellable.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { ModelAttempts } from './model-attempts.ts';
import { handBackText, noteTexts, openingMessages } from './prompts.ts';
import { storePatiently } from './store-patiently.ts';
import {
  appendMessages,
  loadTranscript,
  putJson,
  requireStore,
  resolveMessage,
  type LoadedMessage,
} from './transcript.ts';

/** A malformed argument text is shown to the model up to this length (CASES B09). */
const maxMalformedChars = 1_000;
/** What a person reads of the arguments before deciding; longer ones are cut, and say so. */
const maxAskChars = 8_000;
/** No tool means arguments nested deeper than this, and what walks over them must not run out of stack. */
const maxArgumentDepth = 100;

export function createCallModelActivity(dependencies: ActivityDependencies) {
  return async function callModelActivity(step: ModelStep): Promise<ModelStepResult> {
    let attempts: ModelAttempts | undefined;
    return runCancellable(
      async (frame) => {
        attempts = new ModelAttempts(
          frame,
          step,
          (usage) => dependencies.priceUsage(step, usage),
          dependencies.buckets,
        );
        const { store } = dependencies;
        await requireStore(store, step.storeId);
        const model = await dependencies.openModel(step);
        const toolbox = await dependencies.openToolbox({
          corpus: step.corpus,
          web: step.web,
          delegation: step.delegation,
        });
        const history = await loadTranscript(store, step.head);
        const added = await Promise.all(newMessages(step).map((message) => resolveMessage(store, message)));
        const all = [...history, ...added];
        const fitted = await attempts.fit(
          model,
          {
            task: {
              kind: 'research',
              subagentId: step.subagentId,
              question: step.question,
              goal: step.goal,
              turn: step.turn,
              handBack: step.handBack !== undefined,
            },
            messages: all.map((each) => each.prompt),
            tools: describeTools(step, toolbox.tools),
            toolChoice: step.handBack === undefined ? 'auto' : 'none',
            parallelToolCalls: step.parallelToolCalls,
            maxOutputTokens: step.maxOutputTokens,
          },
          { tokens: step.head?.knownTokens ?? 0, messages: step.head?.messages ?? 0 },
        );
        if (fitted.kind === 'does-not-fit') return { ...fitted, usage: attempts.usage() };
        // A store that takes no more is found out before the model is paid, and then the call is made later.
        await appendMessages(store, step.head, added);
        const reply = await attempts.request(model, fitted.request, fitted.requestTokens);

        const kept = all.map((each, position) =>
          fitted.cut.includes(position) ? toCut(each, fitted.request.messages[position]!) : each,
        );
        const toolCalls = reply.toolCalls.map((call, index) => readCall(call, `t${step.turn}c${index + 1}`));
        const answer = await resolveMessage(store, {
          role: 'assistant',
          text: cleanText(reply.text),
          toolCalls,
          ...(reply.provider !== undefined && { provider: reply.provider }),
        });
        // Cut results rewrite the chain from the first of them on; otherwise only what is new is stored.
        const from = fitted.cut.length > 0 ? null : step.head;
        const known = knownTokensAfter(reply, attempts.usage());
        const head = await storePatiently(frame.signal, () =>
          appendMessages(store, from, [...(from ? added : kept), answer], known),
        );
        const result = toResult(reply, toolCalls, head, step, toolbox.tools, attempts.usage());
        return await withShortReport(store, result, frame.signal);
      },
      () => attempts?.detailsOnEnd() ?? [],
    );
  };
}

/** The tools of the run, as this worker knows them. */
function describeTools(step: ModelStep, tools: readonly Tool[]): ToolDescription[] {
  return tools.map((tool) => tool.description).filter(({ name }) => step.tools.some((each) => each.name === name));
}

function newMessages(step: ModelStep): Message[] {
  const opening = step.head === null ? (openingMessages(step) as Message[]) : [];
  const results: Message[] = step.results.length > 0 ? [{ role: 'tool', results: step.results }] : [];
  const notes = [
    ...(step.note === undefined ? [] : [noteTexts[step.note]]),
    ...(step.handBack === undefined ? [] : [handBackText(step.handBack)]),
  ];
  return [...opening, ...results, ...notes.map((text): Message => ({ role: 'user', text }))];
}

/** The message as it was really sent: its results are now texts, shorter than the blobs they came from. */
function toCut(loaded: LoadedMessage, sent: LoadedMessage['prompt']): LoadedMessage {
  if (sent.role !== 'tool') return loaded;
  const results = sent.results.map(({ text, ...result }) => ({ ...result, content: { text } }));
  return {
    message: { role: 'tool', results },
    prompt: sent,
    bytes: new TextEncoder().encode(sent.results.map((each) => each.text).join('')).byteLength,
  };
}

/** Arguments as an object: `""` is the wire form of "none"; what is no object is kept as text and never executed. */
function readCall(call: ModelReply['toolCalls'][number], callId: string): ToolCall {
  const name = cleanText(call.name);
  let value = call.arguments;
  if (typeof value === 'string') {
    if (value.trim() === '') return { callId, name, arguments: {} };
    try {
      value = JSON.parse(value) as unknown;
    } catch {
      return { callId, name, arguments: {}, malformed: previewText(call.arguments as string, maxMalformedChars) };
    }
  }
  if (value === undefined) return { callId, name, arguments: {} };
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    return { callId, name, arguments: {}, malformed: previewText(JSON.stringify(value), maxMalformedChars) };
  }
  if (isDeeperThan(value, maxArgumentDepth)) return { callId, name, arguments: {}, malformed: 'nested too deeply' };
  return { callId, name, arguments: cleanValue(value) as Record<string, unknown> };
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (value === null || typeof value !== 'object') return false;
  return levels === 0 || Object.values(value).some((each) => isDeeperThan(each, levels - 1));
}

/** Escapes in JSON bring back what `cleanText` takes out of a text: lone surrogates and NUL (CASES B25). */
function cleanValue(value: unknown): unknown {
  if (typeof value === 'string') return cleanText(value);
  if (Array.isArray(value)) return value.map(cleanValue);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [cleanText(key), cleanValue(each)]));
}

function toPlannedCall(call: ToolCall, step: ModelStep, tools: readonly Tool[]): PlannedCall {
  const offered = step.tools.map(({ name }) => name);
  const argumentsText = call.malformed ?? canonicalJson(call.arguments);
  const planned = {
    callId: call.callId,
    name: previewText(call.name, 80),
    argumentsPreview: previewText(argumentsText, 200),
    argumentsHash: createHash('sha256').update(argumentsText).digest('hex'),
  };
  const tool = tools.find((each) => each.description.name === call.name);
  if (!tool || !offered.includes(call.name))
    return { ...planned, problem: toolErrorText.unknownTool(call.name, offered) };
  if (call.malformed !== undefined) {
    return {
      ...planned,
      problem: `The arguments are not a JSON object: ${call.malformed}. Call again with an object.`,
    };
  }
  const problem = tool.check(call.arguments);
  if (problem !== null) return { ...planned, problem: `The arguments were refused: ${problem}.` };
  const approvals = step.tools.find(({ name }) => name === call.name)?.asksFirst ? step.approvals : undefined;
  if (!approvals || isAllowed(approvals.allow, { tool: call.name, args: call.arguments })) return planned;
  if (approvals.default === 'deny') return { ...planned, problem: toolErrorText.notAllowed(call.name) };
  return { ...planned, ask: { input: cutText(argumentsText, maxAskChars) } };
}

function toResult(
  reply: ModelReply,
  toolCalls: readonly ToolCall[],
  head: TranscriptHead,
  step: ModelStep,
  tools: readonly Tool[],
  usage: CallUsage,
): Extract<ModelStepResult, { kind: 'reply' }> {
  return {
    kind: 'reply',
    head,
    calls: toolCalls.map((call) => toPlannedCall(call, step, tools)),
    finish: reply.finish,
    ...(reply.rawFinish !== undefined && { rawFinish: reply.rawFinish }),
    ...(reply.warnings?.length && { warnings: [...reply.warnings] }),
    report: toolCalls.length > 0 && step.handBack === undefined ? null : readReport(reply.text),
    usage,
  };
}

/** A long report goes by reference: a payload may have 2 MB, and a history is read by many. */
async function withShortReport(
  store: BlobStore,
  result: Extract<ModelStepResult, { kind: 'reply' }>,
  signal: AbortSignal,
): Promise<ModelStepResult> {
  const { report } = result;
  if (!report || utf8Bytes(JSON.stringify(report)) <= defaults.maxInlineBytes) return result;
  return { ...result, report: null, reportRef: await storePatiently(signal, () => putJson(store, report)) };
}

function knownTokensAfter(reply: ModelReply, usage: CallUsage): number {
  return reply.usage ? reply.usage.inputTokens + reply.usage.outputTokens : usage.requestTokens;
}
