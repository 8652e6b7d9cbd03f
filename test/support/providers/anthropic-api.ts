/** Anthropic Messages: how it is asked and how it answers. Its rules are in a file of their own. */
import { checkAnthropic, toBlocks } from './anthropic-rules.ts';
import { anthropicError } from './error-shapes.ts';
import { contentText, toObject, type Json, type ProviderApi, type Stop, type Turn } from './provider-api.ts';
import type { SignatureBook } from './signature-book.ts';
import { anthropicUsage } from './usage-shapes.ts';

const stops: Partial<Record<Stop, string>> = {
  length: 'max_tokens',
  refusal: 'refusal',
  pause: 'pause_turn',
  'context-exceeded': 'model_context_window_exceeded',
  'content-filter': 'refusal',
  invented: 'brand_new_reason',
};

export const anthropicApi: ProviderApi = {
  key: (headers) => headers['x-api-key'] as string | undefined,
  isCount: (path) => path === '/v1/messages/count_tokens',
  isGenerate: (path) => path === '/v1/messages',
  check: checkAnthropic,
  read(body) {
    const messages: Json[] = body.messages;
    const blocks = messages.filter(({ role }) => role === 'user').flatMap(({ content }) => toBlocks(content));
    return {
      system: toBlocks(body.system ?? [])
        .map(({ text }) => text)
        .join('\n'),
      user: blocks.filter(({ type }) => type === 'text').map(({ text }) => text),
      turns: messages.filter(({ role }) => role === 'assistant').length,
      results: blocks.filter(({ type }) => type === 'tool_result').map(({ content }) => contentText(content)),
      tools: (body.tools ?? []).map((tool: Json) => tool.name),
      mayCall: body.tool_choice?.type !== 'none',
    };
  },
  render(turn, { book }) {
    const calls = turn.stop === 'no-choices' ? [] : (turn.calls ?? []);
    const text = turn.stop === 'no-choices' ? '' : (turn.text ?? '');
    return {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'claude-test',
      content: [
        ...renderThinking(turn, book),
        ...(text === '' ? [] : [{ type: 'text', text }]),
        ...calls.map((call, index) => ({
          type: 'tool_use',
          id: call.id ?? `toolu_${index}`,
          name: call.name,
          input: toObject(call.arguments),
        })),
      ],
      stop_reason:
        turn.rawStop ??
        stops[turn.stop ?? 'stop'] ??
        (calls.length > 0 && turn.stop !== 'stop' ? 'tool_use' : 'end_turn'),
      stop_sequence: null,
      ...anthropicUsage(turn.usage),
    };
  },
  renderCount: (tokens) => ({ input_tokens: tokens }),
  renderError: anthropicError,
};

/** Thinking is always signed here; where it is redacted, the signature is all that there is of it. */
function renderThinking(turn: Turn, book: SignatureBook): Json[] {
  if (!turn.signed && turn.reasoning === undefined && !turn.redacted) return [];
  const thinking = turn.reasoning ?? 'I think.';
  const signature = book.issue(turn.text ?? '', turn.calls ?? [], turn.redacted ? '' : thinking);
  return turn.redacted ? [{ type: 'redacted_thinking', data: signature }] : [{ type: 'thinking', thinking, signature }];
}
