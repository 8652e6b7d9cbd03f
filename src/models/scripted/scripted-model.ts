/** A model that answers from a script, by subagent and turn and never by the order of the calls. */
import { appendFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { TributaryError } from '../../contract/failure.ts';
import type { ModelReply, ModelTask } from '../../contract/model.ts';
import { assembleBody } from '../../domain/assemble.ts';
import { canonicalJson } from '../../domain/canonical-json.ts';
import { fromReading } from '../../domain/corpus-reading.ts';
import { estimateTokens } from '../../domain/token-bound.ts';
import type { Model, ModelRequest, PromptMessage } from '../model.ts';
import type { Script, ScriptStep } from './script.ts';

/** `name` is what the user asked for, such as `scripted:examples/slow.yaml`. */
export function createScriptedModel(name: string, script: Script): Model {
  const failures = new Map<string, number>();

  /** `true` while this step still has failures to give out; counted per place in the script, and reset by an answer. */
  const failsNow = (place: string, step: ScriptStep): boolean => {
    if (!step.fail) return false;
    const failed = failures.get(place) ?? 0;
    if (step.fail.times !== undefined && failed >= step.fail.times) {
      failures.delete(place);
      return false;
    }
    failures.set(place, failed + 1);
    return true;
  };

  const log = async (entry: Record<string, unknown>) => {
    if (script.log !== undefined) await appendFile(script.log, `${JSON.stringify({ at: Date.now(), ...entry })}\n`);
  };

  return {
    name,
    async countTokens(request) {
      return countInput(request);
    },
    async call(request, { signal, onRequest }) {
      const place = placeOf(request.task);
      const step = stepOf(script, request.task);
      onRequest();
      await log({ request: place });
      try {
        await pause(step, script, signal);
        if (failsNow(place, step)) throw toError(step, place);
        const reply = toReply(step, request);
        await log({ answered: place });
        return reply;
      } catch (error) {
        await log({ ended: place, how: signal.aborted ? 'aborted' : 'failed' });
        throw error;
      }
    },
  };
}

function placeOf(task: ModelTask): string {
  switch (task.kind) {
    case 'plan':
      return 'plan';
    case 'research':
      return `${task.subagentId} turn ${task.turn}`;
    case 'synthesize':
      return 'synthesis';
    default:
      return task satisfies never;
  }
}

function stepOf(script: Script, task: ModelTask): ScriptStep {
  switch (task.kind) {
    case 'plan':
      if (Array.isArray(script.plan)) return { text: JSON.stringify({ subtasks: script.plan }) };
      return script.plan ?? { text: JSON.stringify({ subtasks: [task.question] }) };
    case 'research': {
      const subagent = script.subagents[task.subagentId] ?? script.subagents['*'];
      const step = subagent?.turns[task.turn - 1];
      if (task.handBack)
        return (
          subagent?.handBack ??
          (step && !step.calls ? step : { report: { ...emptyReport, summary: `Handed back on turn ${task.turn}.` } })
        );
      return (
        step ?? {
          report: {
            ...emptyReport,
            summary: subagent ? 'The script has no further turn.' : 'The script says nothing about this subagent.',
          },
        }
      );
    }
    case 'synthesize':
      return script.synthesis ?? { text: assembleBody(task.inputs) };
    default:
      return task satisfies never;
  }
}

const emptyReport = { summary: '', claims: [], tried: [], failed: [] };

async function pause(step: ScriptStep, script: Script, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (step.hang) {
    await new Promise((_, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }),
    );
  }
  const latencyMs = step.latency ?? script.latency ?? 0;
  if (latencyMs === 0) return;
  await wait(latencyMs, undefined, { signal }).catch(() => signal.throwIfAborted());
}

function toError(step: ScriptStep, place: string): TributaryError {
  const { code, message, retryAfter } = step.fail!;
  return new TributaryError(
    code,
    message ?? `${place}: the script fails here`,
    retryAfter === undefined ? {} : { retryAfterMs: retryAfter },
  );
}

function toReply(step: ScriptStep, request: ModelRequest): ModelReply {
  const text = step.report ? JSON.stringify(withSourceIds(step.report, request.messages)) : (step.text ?? '');
  const toolCalls = (step.calls ?? []).map((call) => ({ name: call.tool, arguments: call.arguments ?? {} }));
  const usage =
    step.usage === 'none'
      ? null
      : (step.usage ?? {
          inputTokens: countInput(request),
          outputTokens: estimateTokens(text + (toolCalls.length > 0 ? canonicalJson(toolCalls) : '')),
        });
  return { text, toolCalls, finish: step.finish ?? (toolCalls.length > 0 ? 'tool-calls' : 'stop'), usage };
}

/** Claims that name a document get the id of the source, found in what was read. */
function withSourceIds(report: NonNullable<ScriptStep['report']>, messages: readonly PromptMessage[]) {
  const read = messages
    .flatMap((message) => (message.role === 'tool' ? message.results : []))
    .map((result) => fromReading(result.text))
    .filter((reading) => reading !== null);
  const idOf = (document: string) => {
    const path = document.toWellFormed().normalize('NFC').split('/').map(encodeURIComponent).join('/');
    const found = read.find(({ url }) => url === document || url === `corpus:${path}`);
    return found?.sourceId ?? `unread:${document}`;
  };
  return {
    ...report,
    claims: report.claims.map(({ document, sourceId, ...claim }) => ({
      ...claim,
      sourceId: sourceId ?? idOf(document ?? ''),
    })),
  };
}

/** Our stated unit, over everything that is sent. */
function countInput(request: ModelRequest): number {
  const offered = request.tools.map((tool) => [tool.name, tool.description, tool.inputSchema]);
  return estimateTokens(canonicalJson([request.messages, offered]));
}
