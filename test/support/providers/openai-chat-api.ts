/** OpenAI Chat Completions, which compatible servers speak too: how it is asked and how it answers. */
import { openAiError } from './error-shapes.ts';
import { checkChat } from './openai-chat-rules.ts';
import { contentText, toText, type Json, type ProviderApi, type Stop, type Turn } from './provider-api.ts';
import { chatUsage } from './usage-shapes.ts';

const stops: Partial<Record<Stop, string>> = {
  length: 'length',
  'content-filter': 'content_filter',
  invented: 'brand_new_reason',
};

function createApi(isCompatible: boolean): ProviderApi {
  return {
    key: (headers) => headers.authorization?.replace(/^Bearer /, ''),
    isCount: () => false,
    isGenerate: (path) => path === '/v1/chat/completions',
    check: (body, options) => checkChat(body, { ...options, isCompatible }),
    read(body) {
      const messages: Json[] = body.messages;
      const textsOf = (...roles: string[]) =>
        messages.filter(({ role }) => roles.includes(role)).map(({ content }) => contentText(content));
      return {
        system: textsOf('system', 'developer').join('\n'),
        user: textsOf('user'),
        turns: messages.filter(({ role }) => role === 'assistant').length,
        results: textsOf('tool'),
        tools: (body.tools ?? []).map((tool: Json) => tool.function.name),
        mayCall: body.tool_choice !== 'none',
      };
    },
    render(turn, { isGateway }) {
      const choice = {
        message: renderMessage(turn, { isCompatible, isGateway }),
        finish_reason: renderFinish(turn),
      };
      const choices = turn.stop === 'no-choices' ? [] : [isGateway ? choice : { index: 0, ...choice }];
      // A careless gateway leaves out what it does not need itself.
      const head = isGateway ? {} : { id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: 'gpt-test' };
      return { ...head, choices, ...chatUsage(turn.usage) };
    },
    renderCount: () => ({}),
    renderError: openAiError,
  };
}

export const openAiChatApi = createApi(false);
export const compatibleApi = createApi(true);

function renderFinish({ calls = [], stop, rawStop }: Turn): string {
  return rawStop ?? stops[stop ?? 'stop'] ?? (calls.length > 0 && stop !== 'stop' ? 'tool_calls' : 'stop');
}

function renderMessage(turn: Turn, { isCompatible, isGateway }: { isCompatible: boolean; isGateway: boolean }): Json {
  const calls = turn.calls ?? [];
  const text = turn.text ?? (calls.length > 0 ? null : '');
  const isRefused = turn.stop === 'refusal';
  return {
    role: 'assistant',
    content: isRefused ? null : isGateway && text ? [{ type: 'text', text }] : text,
    ...(isRefused && { refusal: turn.text ?? 'No.' }),
    ...(isCompatible && turn.reasoning !== undefined && { reasoning_content: turn.reasoning }),
    ...(calls.length > 0 && {
      tool_calls: calls.map((call, index) => ({
        ...(call.id !== null && { id: call.id ?? `call_${index}` }),
        type: 'function',
        function: { name: call.name, arguments: toText(call.arguments) },
      })),
    }),
  };
}
