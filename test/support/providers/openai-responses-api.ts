/** OpenAI Responses without storage at the vendor (CASES appendix A). */
import { checkTool, contentText, isJson, toolNamePattern } from './openai-chat-api.ts';
import {
  firstProblem,
  hasHalfPairs,
  toObject,
  toText,
  unknownKeys,
  type Json,
  type ProviderApi,
  type SignatureBook,
  type UsageShape,
} from './provider-api.ts';

const known = [
  ...['model', 'input', 'instructions', 'max_output_tokens', 'tools', 'tool_choice', 'parallel_tool_calls'],
  ...['store', 'include', 'reasoning', 'text'],
];

export const openAiResponsesApi: ProviderApi = {
  key: (headers) => headers.authorization?.replace(/^Bearer /, ''),
  isCount: (path) => path === '/v1/responses/input_tokens',
  isGenerate: (path) => path === '/v1/responses',
  check: (body, { isCount, book }) =>
    firstProblem(
      (function* () {
        yield unknownKeys(body, known);
        yield hasHalfPairs(body) ? 'the body holds a lone surrogate' : null;
        yield isCount || body.max_output_tokens >= 16 ? null : 'max_output_tokens is missing or below 16';
        for (const tool of body.tools ?? []) {
          yield typeof tool.strict === 'boolean' ? null : `${tool.name}: a missing strict is taken for true`;
          yield checkTool(tool);
        }
        yield checkItems(body.input, book);
      })(),
    ),
  read(body) {
    const items: Json[] = body.input;
    const outputs = items.filter(({ type }) => type === 'function_call_output');
    return {
      system: items
        .filter(({ role }) => role === 'system' || role === 'developer')
        .map((each) => contentText(each.content))
        .join('\n'),
      user: items.filter(({ role }) => role === 'user').map(({ content }) => contentText(content)),
      turns: countTurns(items),
      results: outputs.map(({ output }) => contentText(output)),
      tools: (body.tools ?? []).map((tool: Json) => tool.name),
      mayCall: body.tool_choice !== 'none',
    };
  },
  render(turn, book) {
    const calls = turn.calls ?? [];
    const text = turn.text ?? '';
    const signature = turn.signed ? book.issue(text, calls) : undefined;
    const content =
      turn.stop === 'refusal'
        ? [{ type: 'refusal', refusal: text || 'No.' }]
        : text === ''
          ? []
          : [{ type: 'output_text', text, annotations: [] }];
    const incomplete = {
      length: 'max_output_tokens',
      'content-filter': 'content_filter',
      invented: 'brand_new_reason',
    }[turn.stop as string];
    return {
      id: 'resp_1',
      object: 'response',
      created_at: 1,
      model: 'gpt-5-test',
      status: incomplete === undefined ? 'completed' : 'incomplete',
      incomplete_details: incomplete === undefined ? null : { reason: incomplete },
      error: null,
      output: [
        ...(signature === undefined
          ? []
          : [{ type: 'reasoning', id: `rs_${signature.slice(-8)}`, summary: [], encrypted_content: signature }]),
        ...(content.length === 0
          ? []
          : [{ type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content }]),
        ...calls.map((call, index) => ({
          type: 'function_call',
          id: `fc_${index}`,
          ...(call.id !== null && { call_id: call.id ?? `call_${index}` }),
          name: call.name,
          arguments: toText(call.arguments),
          status: 'completed',
        })),
      ],
      ...renderUsage(turn.usage),
    };
  },
  renderCount: (tokens) => ({ object: 'response.input_tokens', input_tokens: tokens }),
  renderError: (_, code, message) => ({ error: { message, type: code, param: null, code } }),
};

/** Items of the model that stand together are one reply. */
function countTurns(items: Json[]): number {
  const isModels = (item: Json) => ['reasoning', 'function_call'].includes(item?.type) || item?.role === 'assistant';
  return items.filter((item, index) => isModels(item) && !isModels(items[index - 1])).length;
}

function checkItems(items: Json[], book: SignatureBook): string | null {
  return firstProblem(
    (function* () {
      let reply: Json[] = [];
      let open: string[] = [];
      for (const [index, item] of items.entries()) {
        const at = `input[${index}]`;
        yield item.type === 'item_reference' ? `${at}: items are not stored` : null;
        if (item.type === 'function_call_output') {
          if (reply.length > 0) yield checkReply(at, reply, book);
          reply = [];
          yield open.includes(item.call_id) ? null : `${at}: no tool call found for function call output`;
          open = open.filter((id) => id !== item.call_id);
          continue;
        }
        const isModels = item.type === 'reasoning' || item.type === 'function_call' || item.role === 'assistant';
        if (!isModels) {
          if (reply.length > 0) yield checkReply(at, reply, book);
          reply = [];
          yield open.length > 0 ? `${at}: no tool output found for function call ${open.join()}` : null;
          yield contentText(item.content) !== '' ? null : `${at}: content is empty`;
          continue;
        }
        yield open.length > 0 && reply.length === 0
          ? `${at}: no tool output found for function call ${open.join()}`
          : null;
        reply.push(item);
        if (item.type !== 'function_call') continue;
        yield open.includes(item.call_id) ? `${at}: duplicate call_id` : null;
        open.push(item.call_id);
        yield typeof item.call_id === 'string' && /^[\w-]{1,64}$/.test(item.call_id) ? null : `${at}: bad call_id`;
        yield toolNamePattern.test(item.name) ? null : `${at}: invalid name ${item.name}`;
        yield isJson(item.arguments) ? null : `${at}: arguments are not JSON`;
      }
      yield open.length > 0 ? `no tool output found for function call ${open.join()}` : null;
    })(),
  );
}

/** A function call that was reasoned about comes after its reasoning, which is unchanged. */
function checkReply(at: string, reply: Json[], book: SignatureBook): string | null {
  const calls = reply.filter(({ type }) => type === 'function_call');
  const text = reply
    .filter(({ role }) => role === 'assistant')
    .map(({ content }) => contentText(content))
    .join('');
  const signatures = book.known(
    text,
    calls.map((call) => ({ name: call.name, arguments: toObject(call.arguments) })),
  );
  if (signatures.length === 0) return null;
  const [first] = reply;
  if (first?.type !== 'reasoning') return `${at}: function_call was provided without its required reasoning item`;
  return signatures.includes(first.encrypted_content) ? null : `${at}: the encrypted content could not be verified`;
}

function renderUsage(usage: UsageShape | undefined): Json {
  const shape = usage ?? { input: 100, output: 20 };
  switch (shape) {
    case 'missing':
      return {};
    case 'null':
      return { usage: null };
    case 'zeros':
      return { usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0 } };
    case 'negative':
      return { usage: { input_tokens: -1, output_tokens: 20, total_tokens: 19 } };
    case 'strings':
      return { usage: { input_tokens: '12', output_tokens: '3', total_tokens: '15' } };
    default:
      return {
        usage: {
          input_tokens: shape.input,
          output_tokens: shape.output,
          total_tokens: shape.input + shape.output,
          input_tokens_details: { cached_tokens: shape.cacheRead ?? 0 },
          output_tokens_details: { reasoning_tokens: shape.reasoning ?? 0 },
        },
      };
  }
}
