/** What OpenAI Responses refuses of those who let nothing be stored (CASES appendix A, PROVIDERS 1 to 3). */
import { checkFunctions, toolNamePattern } from './openai-tools.ts';
import { contentText, toObject, type CheckOptions, type Json } from './provider-api.ts';
import { checkBody, checkLimit, firstProblem, isJson, unknownKeys } from './rules.ts';
import type { SignatureBook } from './signature-book.ts';

const countKeys = [
  ...['model', 'input', 'instructions', 'tools', 'tool_choice', 'parallel_tool_calls', 'reasoning', 'text'],
  ...['truncation', 'conversation', 'previous_response_id'],
];
const generateKeys = [
  ...countKeys,
  ...[
    'max_output_tokens',
    'store',
    'include',
    'temperature',
    'top_p',
    'top_logprobs',
    'user',
    'metadata',
    'background',
  ],
  ...['max_tool_calls', 'service_tier', 'prompt', 'prompt_cache_key', 'prompt_cache_retention', 'safety_identifier'],
  ...['stream', 'context_management'],
];
const roles = ['user', 'system', 'developer', 'assistant'];
/** How the ids of items begin. */
const prefixes: Readonly<Record<string, string>> = { function_call: 'fc', reasoning: 'rs', message: 'msg' };

export function isOfModel(item: Json): boolean {
  return ['reasoning', 'function_call', 'item_reference'].includes(item?.type) || item?.role === 'assistant';
}

export function checkResponses(body: Json, { isCount, book, isGateway }: CheckOptions): string | null {
  return firstProblem(
    (function* () {
      const isText = typeof body?.input === 'string';
      yield checkBody(isText ? { ...body, input: [body.input] } : body, 'input');
      yield isGateway ? null : unknownKeys(body, isCount ? countKeys : generateKeys);
      yield typeof body.model === 'string' ? null : 'missing required parameter: model';
      yield isCount ? null : checkLimit('max_output_tokens', body.max_output_tokens, 16);
      for (const { type, name, strict } of body.tools ?? []) {
        yield type === 'function' ? null : `tools.type: unknown "${type}"`;
        yield typeof strict === 'boolean' ? null : `tools.strict: missing for "${name}", which is taken for true`;
      }
      yield checkFunctions(body.tools, body.tool_choice, body.tool_choice?.name);
      // What is not stored cannot be referred to. Who counts does not say whether it is.
      if (!isText) yield checkItems(body.input, book, body.store === false || isCount);
    })(),
  );
}

function checkItems(items: Json[], book: SignatureBook, isUnstored: boolean): string | null {
  return firstProblem(
    (function* () {
      let reply: Json[] = [];
      let open: string[] = [];
      const ids = new Set<string>();
      for (const [index, item] of items.entries()) {
        const at = `input[${index}]`;
        yield checkItem(at, item, isUnstored);
        if (item.type === 'reasoning') {
          yield ids.has(item.id) ? `${at}: duplicate item found with id ${item.id}` : null;
          ids.add(item.id);
        }
        if (isOfModel(item)) {
          yield reply.length === 0 && open.length > 0
            ? `${at}: no tool output found for function call ${open.join()}`
            : null;
          reply.push(item);
          if (item.type !== 'function_call') continue;
          yield open.includes(item.call_id) ? `${at}: duplicate call_id ${item.call_id}` : null;
          open.push(item.call_id);
          continue;
        }
        yield checkReply(at, reply, book, isUnstored);
        reply = [];
        if (item.type === 'function_call_output') {
          yield open.includes(item.call_id) ? null : `${at}: no tool call found for function call output`;
          open = open.filter((id) => id !== item.call_id);
          continue;
        }
        yield open.length > 0 ? `${at}: no tool output found for function call ${open.join()}` : null;
      }
      yield checkReply('the end of input', reply, book, isUnstored);
      yield open.length > 0 ? `no tool output found for function call ${open.join()}` : null;
    })(),
  );
}

function checkItem(at: string, item: Json, isUnstored: boolean): string | null {
  const type = item.type ?? 'message';
  const prefix = prefixes[type];
  if (item.id !== undefined && prefix && !String(item.id).startsWith(prefix)) {
    return `${at}.id: expected an ID that begins with '${prefix}', found "${item.id}"`;
  }
  switch (type) {
    case 'message':
      if (!roles.includes(item.role)) return `${at}.role: unknown "${item.role}"`;
      return contentText(item.content) === '' && !item.content?.[0]?.refusal ? `${at}: content is empty` : null;
    case 'function_call':
      if (!/^[\w-]{1,64}$/.test(item.call_id ?? '')) return `${at}.call_id: "${item.call_id}" is no id`;
      if (!toolNamePattern.test(item.name)) return `${at}.name: "${item.name}" does not match the pattern`;
      return isJson(item.arguments) ? null : `${at}.arguments: not JSON`;
    case 'function_call_output':
      return typeof item.output === 'string' || Array.isArray(item.output) ? null : `${at}.output: must be a string`;
    case 'reasoning':
      return item.encrypted_content || !isUnstored ? null : `${at}: items are not stored, no encrypted_content`;
    case 'item_reference':
      return isUnstored ? `${at}: item "${item.id}" not found, items are not stored` : null;
    default:
      return `${at}.type: unknown "${type}"`;
  }
}

/** A call that was reasoned about comes after its reasoning, which is unchanged and does not stand alone. */
function checkReply(at: string, reply: readonly Json[], book: SignatureBook, isUnstored: boolean): string | null {
  const reasonings = reply.filter(isReasoning);
  for (const { encrypted_content: content } of reasonings) {
    if (content && book.reasoningOf(content) === undefined) return `${at}: the encrypted content could not be verified`;
  }
  if (reasonings.length > 0 && isReasoning(reply.at(-1))) {
    return `${at}: reasoning was provided without its required following item`;
  }
  const words = reply.filter(({ role }) => role === 'assistant').map(({ content }) => contentText(content));
  const calls = reply.filter(({ type }) => type === 'function_call');
  const signatures = book.known(
    words.join(''),
    calls.map((call) => ({ name: call.name, arguments: toObject(call.arguments) })),
  );
  if (signatures.length === 0 || calls.length === 0) return null;
  if (!isReasoning(reply[0])) return `${at}: function_call was provided without its required reasoning item`;
  return signatures.includes(reply[0].encrypted_content) || !isUnstored
    ? null
    : `${at}: the encrypted content belongs to another reply`;
}

/** The item itself, or where items are stored a reference to it. */
function isReasoning({ type, id }: Json): boolean {
  return type === 'reasoning' || (type === 'item_reference' && String(id).startsWith('rs'));
}
