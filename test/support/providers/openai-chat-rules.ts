/** What OpenAI Chat Completions refuses (CASES appendix A, PROVIDERS 1 to 3). */
import { checkFunctions, toolNamePattern } from './openai-tools.ts';
import { contentText, type CheckOptions, type Json } from './provider-api.ts';
import { checkBody, checkLimit, firstProblem, isJson, unknownKeys } from './rules.ts';

const bodyKeys = [
  ...['model', 'messages', 'max_tokens', 'max_completion_tokens', 'tools', 'tool_choice', 'parallel_tool_calls'],
  ...['temperature', 'top_p', 'frequency_penalty', 'presence_penalty', 'stop', 'seed', 'n', 'logit_bias', 'logprobs'],
  ...['top_logprobs', 'user', 'store', 'metadata', 'response_format', 'reasoning_effort', 'verbosity', 'prediction'],
  ...['service_tier', 'prompt_cache_key', 'prompt_cache_retention', 'safety_identifier', 'stream'],
];
const messageKeys: Readonly<Record<string, readonly string[]>> = {
  system: ['role', 'content', 'name'],
  developer: ['role', 'content', 'name'],
  user: ['role', 'content', 'name'],
  assistant: ['role', 'content', 'name', 'tool_calls', 'refusal'],
  tool: ['role', 'content', 'tool_call_id'],
};
const reasons = /^(o\d|gpt-[56])/;

export function checkChat(
  body: Json,
  { isCompatible, isGateway }: CheckOptions & { readonly isCompatible: boolean },
): string | null {
  return firstProblem(
    (function* () {
      yield checkBody(body, 'messages');
      yield isGateway ? null : unknownKeys(body, bodyKeys);
      yield typeof body.model === 'string' ? null : 'you must provide a model parameter';
      yield body.max_tokens !== undefined && body.max_completion_tokens !== undefined
        ? 'setting max_tokens and max_completion_tokens at the same time is not supported'
        : null;
      yield checkLimit('max_tokens', body.max_completion_tokens ?? body.max_tokens);
      yield !isCompatible && reasons.test(body.model) && body.max_tokens !== undefined
        ? 'max_tokens is not supported with this model, use max_completion_tokens'
        : null;
      yield body.parallel_tool_calls !== undefined && !body.tools
        ? 'parallel_tool_calls: only allowed when tools are specified'
        : null;
      for (const { type } of body.tools ?? []) yield type === 'function' ? null : `tools.type: unknown "${type}"`;
      const functions = body.tools?.map((tool: Json) => tool.function ?? {});
      yield checkFunctions(functions, body.tool_choice, body.tool_choice?.function?.name);
      yield checkMessages(body.messages, isCompatible);
    })(),
  );
}

function checkMessages(messages: Json[], isCompatible: boolean): string | null {
  return firstProblem(
    (function* () {
      let open: string[] = [];
      for (const [index, message] of messages.entries()) {
        const at = `messages.[${index}]`;
        const keys = messageKeys[message.role];
        yield keys ? null : `${at}.role: unknown "${message.role}"`;
        yield unknownKeys(message, [...keys!, ...(isCompatible ? ['reasoning_content'] : [])], `${at}.`);
        if (message.role === 'tool') {
          yield open.includes(message.tool_call_id)
            ? null
            : `${at}: role tool must be a response to preceding tool_calls`;
          yield isTextual(message.content) ? null : `${at}.content: must be a string or parts of text`;
          open = open.filter((id) => id !== message.tool_call_id);
          continue;
        }
        yield open.length > 0 ? `${at}: tool_call_ids did not have response messages: ${open.join()}` : null;
        if (message.role !== 'assistant') {
          yield contentText(message.content) !== '' ? null : `${at}: content is empty`;
          continue;
        }
        yield checkAssistant(at, message);
        open = (message.tool_calls ?? []).map(({ id }: Json) => id);
      }
      yield open.length > 0 ? `tool_call_ids did not have response messages: ${open.join()}` : null;
    })(),
  );
}

function checkAssistant(at: string, { content, tool_calls: calls }: Json): string | null {
  return firstProblem(
    (function* () {
      yield calls?.length === 0 ? `${at}.tool_calls: [] is too short` : null;
      yield calls || contentText(content) !== '' ? null : `${at}: content or tool_calls must be set`;
      const ids: string[] = (calls ?? []).map(({ id }: Json) => id);
      yield new Set(ids).size === ids.length ? null : `${at}: ids of calls must be unique`;
      for (const { id, type, function: called } of calls ?? []) {
        yield type === 'function' ? null : `${at}.tool_calls.type: unknown "${type}"`;
        yield typeof id === 'string' && id !== '' ? null : `${at}.tool_calls.id: missing`;
        yield id.length <= 40 ? null : `${at}.tool_calls.id: longer than 40 characters`;
        yield toolNamePattern.test(called.name) ? null : `${at}: invalid function name "${called.name}"`;
        yield isJson(called.arguments) ? null : `${at}: arguments are not JSON`;
      }
    })(),
  );
}

function isTextual(content: Json): boolean {
  if (typeof content === 'string') return true;
  return Array.isArray(content) && content.length > 0 && content.every(({ type }) => type === 'text');
}
