/** OpenAI Chat Completions, which compatible servers speak too (CASES appendix A). */
import {
  firstProblem,
  hasHalfPairs,
  toText,
  unknownKeys,
  type Json,
  type ProviderApi,
  type Turn,
  type UsageShape,
} from './provider-api.ts';

const known = [
  'model',
  'messages',
  'max_tokens',
  'max_completion_tokens',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
];
export const toolNamePattern = /^[a-zA-Z0-9_-]{1,64}$/;
const stops: Readonly<Record<string, string>> = {
  length: 'length',
  'content-filter': 'content_filter',
  invented: 'brand_new_reason',
};

export const openAiChatApi: ProviderApi = {
  key: (headers) => headers.authorization?.replace(/^Bearer /, ''),
  isCount: () => false,
  isGenerate: (path) => path === '/v1/chat/completions',
  check: (body) =>
    firstProblem(
      (function* () {
        yield unknownKeys(body, known);
        yield hasHalfPairs(body) ? 'the body holds a lone surrogate' : null;
        yield (body.max_tokens ?? body.max_completion_tokens) >= 1 ? null : 'max_tokens is missing';
        for (const tool of body.tools ?? []) yield checkTool(tool.function);
        yield checkMessages(body.messages);
      })(),
    ),
  read(body) {
    const messages: Json[] = body.messages;
    return {
      system: messages
        .filter(({ role }) => role === 'system' || role === 'developer')
        .map((each) => each.content)
        .join('\n'),
      user: messages.filter(({ role }) => role === 'user').map(({ content }) => contentText(content)),
      turns: messages.filter(({ role }) => role === 'assistant').length,
      results: messages.filter(({ role }) => role === 'tool').map(({ content }) => contentText(content)),
      tools: (body.tools ?? []).map((tool: Json) => tool.function.name),
      mayCall: body.tool_choice !== 'none',
    };
  },
  render(turn: Turn) {
    const calls = turn.calls ?? [];
    return {
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 1,
      model: 'gpt-test',
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: turn.stop === 'refusal' ? null : (turn.text ?? (calls.length > 0 ? null : '')),
            ...(turn.stop === 'refusal' && { refusal: turn.text ?? 'No.' }),
            ...(calls.length > 0 && {
              tool_calls: calls.map((call, index) => ({
                ...(call.id !== null && { id: call.id ?? `call_${index}` }),
                type: 'function',
                function: { name: call.name, arguments: toText(call.arguments) },
              })),
            }),
          },
          finish_reason: stops[turn.stop ?? ''] ?? (calls.length > 0 && turn.stop !== 'stop' ? 'tool_calls' : 'stop'),
        },
      ],
      ...renderUsage(turn.usage),
    };
  },
  renderCount: () => ({}),
  renderError: (_, code, message) => ({ error: { message, type: code, param: null, code } }),
};

export function checkTool({ name, parameters, strict }: Json): string | null {
  if (!toolNamePattern.test(name)) return `invalid tool name: ${name}`;
  if (parameters?.type !== 'object') return `invalid schema for ${name}: type must be object`;
  const properties = Object.keys(parameters.properties ?? {});
  const isStrict =
    parameters.additionalProperties === false && properties.every((key) => parameters.required?.includes(key));
  return strict === true && !isStrict ? `invalid schema for ${name}: strict needs every property in required` : null;
}

export function contentText(content: Json): string {
  return typeof content === 'string' ? content : (content ?? []).map((part: Json) => part.text ?? '').join('');
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function checkMessages(messages: Json[]): string | null {
  return firstProblem(
    (function* () {
      let open: string[] = [];
      for (const [index, message] of messages.entries()) {
        const at = `messages.[${index}]`;
        if (message.role === 'tool') {
          yield open.includes(message.tool_call_id) ? null : `${at}: tool message without its call`;
          yield typeof message.content === 'string' ? null : `${at}: content must be a string`;
          open = open.filter((id) => id !== message.tool_call_id);
          continue;
        }
        yield open.length > 0 ? `${at}: tool_call_ids did not have response messages: ${open.join()}` : null;
        yield ['system', 'developer', 'user', 'assistant'].includes(message.role) ? null : `${at}: unknown role`;
        if (message.role !== 'assistant') {
          yield contentText(message.content) !== '' ? null : `${at}: content is empty`;
          continue;
        }
        const calls: Json[] = message.tool_calls ?? [];
        yield calls.length > 0 || contentText(message.content) !== ''
          ? null
          : `${at}: content or tool_calls must be set`;
        open = calls.map(({ id }) => id);
        yield new Set(open).size === open.length ? null : `${at}: ids of calls must be unique`;
        for (const { id, function: called } of calls) {
          yield typeof id === 'string' && id !== '' && id.length <= 40 ? null : `${at}: bad call id`;
          yield toolNamePattern.test(called.name) ? null : `${at}: invalid function name ${called.name}`;
          yield isJson(called.arguments) ? null : `${at}: arguments are not JSON`;
        }
      }
      yield open.length > 0 ? `tool_call_ids did not have response messages: ${open.join()}` : null;
    })(),
  );
}

export function renderUsage(usage: UsageShape | undefined): Json {
  const shape = usage ?? { input: 100, output: 20 };
  switch (shape) {
    case 'missing':
      return {};
    case 'null':
      return { usage: null };
    case 'zeros':
      return { usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 } };
    case 'negative':
      return { usage: { prompt_tokens: -1, completion_tokens: 20, total_tokens: 19 } };
    case 'strings':
      return { usage: { prompt_tokens: '12', completion_tokens: '3', total_tokens: '15' } };
    default:
      return {
        usage: {
          prompt_tokens: shape.input,
          completion_tokens: shape.output,
          total_tokens: shape.input + shape.output,
          ...(shape.cacheRead !== undefined && { prompt_tokens_details: { cached_tokens: shape.cacheRead } }),
          ...(shape.reasoning !== undefined && { completion_tokens_details: { reasoning_tokens: shape.reasoning } }),
        },
      };
  }
}
