/** Anthropic Messages, as strict as its documentation (CASES appendix A). */
import {
  firstProblem,
  hasHalfPairs,
  toObject,
  unknownKeys,
  type Json,
  type ProviderApi,
  type SignatureBook,
  type Turn,
  type UsageShape,
} from './provider-api.ts';

const known = [
  'model',
  'messages',
  'system',
  'max_tokens',
  'tools',
  'tool_choice',
  'stop_sequences',
  'thinking',
  'metadata',
];
const stops: Readonly<Record<string, string>> = {
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
  check: (body, { isCount, book }) =>
    firstProblem(
      (function* () {
        yield unknownKeys(body, known);
        yield hasHalfPairs(body) ? 'the body holds a lone surrogate' : null;
        yield isCount || body.max_tokens >= 1 ? null : 'max_tokens: field required';
        for (const tool of body.tools ?? []) {
          yield /^[a-zA-Z0-9_-]{1,128}$/.test(tool.name) ? null : `tools.name: ${tool.name} does not match the pattern`;
          yield tool.input_schema?.type === 'object' ? null : 'tools.input_schema.type: field required';
        }
        yield checkMessages(body, book);
      })(),
    ),
  read(body) {
    const messages: Json[] = body.messages;
    const blocks = messages.filter(({ role }) => role === 'user').flatMap(({ content }) => toBlocks(content));
    return {
      system: toBlocks(body.system ?? [])
        .map((each) => each.text)
        .join('\n'),
      user: blocks.filter(({ type }) => type === 'text').map(({ text }) => text),
      turns: messages.filter(({ role }) => role === 'assistant').length,
      results: blocks.filter(({ type }) => type === 'tool_result').map(resultText),
      tools: (body.tools ?? []).map((tool: Json) => tool.name),
      mayCall: body.tool_choice?.type !== 'none',
    };
  },
  render(turn, book) {
    const calls = turn.calls ?? [];
    const text = turn.text ?? '';
    const signature = turn.signed ? book.issue(text, calls) : undefined;
    return {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'claude-test',
      content: [
        ...(signature === undefined ? [] : [{ type: 'thinking', thinking: 'I think.', signature }]),
        ...(text === '' ? [] : [{ type: 'text', text }]),
        ...calls.map((call, index) => ({
          type: 'tool_use',
          id: call.id ?? `toolu_${index}`,
          name: call.name,
          input: toObject(call.arguments),
        })),
      ],
      stop_reason: stops[turn.stop ?? ''] ?? (calls.length > 0 && turn.stop !== 'stop' ? 'tool_use' : 'end_turn'),
      stop_sequence: null,
      ...renderUsage(turn.usage),
    };
  },
  renderCount: (tokens) => ({ input_tokens: tokens }),
  renderError: (_, code, message) => ({ type: 'error', error: { type: code, message }, request_id: 'req_1' }),
};

function checkMessages({ messages, tools }: Json, book: SignatureBook): string | null {
  return firstProblem(
    (function* () {
      let open: string[] = [];
      if (messages[0]?.role !== 'user') yield 'messages: first message must use the "user" role';
      for (const [index, message] of (messages as Json[]).entries()) {
        const at = `messages.${index}`;
        const blocks = toBlocks(message.content);
        yield blocks.length > 0 ? null : `${at}: content is empty`;
        for (const block of blocks) {
          yield block.type === 'text' && block.text.trim() === ''
            ? `${at}: text content blocks must be non-empty`
            : null;
        }
        if (message.role === 'assistant') {
          yield open.length > 0 ? `${at}: tool_use ids were found without tool_result blocks: ${open.join()}` : null;
          const uses = blocks.filter(({ type }) => type === 'tool_use');
          open = uses.map(({ id }) => id);
          yield uses.length > 0 && !tools ? 'tools: field required where tool_use blocks are' : null;
          yield new Set(open).size === open.length ? null : `${at}: tool_use ids must be unique`;
          for (const use of uses) {
            yield /^[a-zA-Z0-9_-]+$/.test(use.id) ? null : `${at}: the id ${use.id} does not match the pattern`;
            yield /^[a-zA-Z0-9_-]{1,128}$/.test(use.name)
              ? null
              : `${at}: the name ${use.name} does not match the pattern`;
          }
          yield checkSignature(at, blocks, uses, book);
          continue;
        }
        const results = blocks.filter(({ type }) => type === 'tool_result');
        yield blocks.slice(0, results.length).every(({ type }) => type === 'tool_result')
          ? null
          : `${at}: tool_result blocks must come first`;
        const ids: string[] = results.map((block) => block.tool_use_id);
        yield ids.some((id) => !open.includes(id)) ? `${at}: unexpected tool_use_id in tool_result blocks` : null;
        yield new Set(ids).size === ids.length ? null : `${at}: each tool_use must have a single result`;
        yield open.some((id) => !ids.includes(id)) ? `${at}: tool_use ids were found without tool_result blocks` : null;
        for (const result of results) {
          const isText =
            typeof result.content === 'string' || toBlocks(result.content).every(({ type }) => type === 'text');
          yield result.is_error && (resultText(result).trim() === '' || !isText)
            ? `${at}: an error result needs text content`
            : null;
        }
        open = [];
      }
      yield open.length > 0 ? 'the conversation ends with tool_use blocks without results' : null;
    })(),
  );
}

/** Thinking comes first and unchanged in a message that was signed. */
function checkSignature(at: string, blocks: Json[], uses: Json[], book: SignatureBook): string | null {
  const text = blocks
    .filter(({ type }) => type === 'text')
    .map((block) => block.text)
    .join('');
  const signatures = book.known(
    text,
    uses.map(({ name, input }) => ({ name, arguments: input })),
  );
  if (signatures.length === 0) return null;
  const [first] = blocks;
  if (first?.type !== 'thinking') return `${at}: expected thinking, found ${first?.type}`;
  return signatures.includes(first.signature) && first.thinking === 'I think.'
    ? null
    : `${at}: invalid signature in thinking block`;
}

function toBlocks(content: Json): Json[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []);
}

function resultText(result: Json): string {
  return toBlocks(result.content)
    .map((block) => block.text ?? '')
    .join('');
}

function renderUsage(usage: UsageShape | undefined): Json {
  const shape = usage ?? { input: 100, output: 20 };
  switch (shape) {
    case 'missing':
      return {};
    case 'null':
      return { usage: null };
    case 'zeros':
      return { usage: { input_tokens: 0, output_tokens: 0 } };
    case 'negative':
      return { usage: { input_tokens: -5, output_tokens: 20 } };
    case 'strings':
      return { usage: { input_tokens: '12', output_tokens: '3' } };
    default:
      return {
        usage: {
          // What was read from and written to caches is not in it.
          input_tokens: shape.input - (shape.cacheRead ?? 0) - (shape.cacheWrite ?? 0),
          output_tokens: shape.output,
          cache_read_input_tokens: shape.cacheRead ?? 0,
          cache_creation_input_tokens: shape.cacheWrite ?? 0,
        },
      };
  }
}

export type { Turn };
