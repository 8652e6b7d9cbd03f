/** What Anthropic Messages refuses (CASES appendix A, PROVIDERS 1 to 3). */
import { contentText, type CheckOptions, type Json } from './provider-api.ts';
import { checkBody, checkLimit, checkStrict, checkUniqueNames, firstProblem, isObject, unknownKeys } from './rules.ts';
import type { SignatureBook } from './signature-book.ts';

const countKeys = [
  ...['model', 'messages', 'system', 'tools', 'tool_choice', 'thinking', 'output_config', 'cache_control'],
  ...['mcp_servers', 'context_management'],
];
const generateKeys = [
  ...countKeys,
  ...['max_tokens', 'stop_sequences', 'metadata', 'temperature', 'top_p', 'top_k', 'stream', 'service_tier'],
  ...['container', 'inference_geo', 'speed', 'fallbacks'],
];
const toolKeys = [
  ...['name', 'description', 'input_schema', 'type', 'cache_control', 'strict', 'input_examples'],
  ...['defer_loading', 'allowed_callers', 'eager_input_streaming'],
];
const blockTypes: Readonly<Record<string, readonly string[]>> = {
  user: ['text', 'image', 'document', 'tool_result'],
  assistant: ['text', 'thinking', 'redacted_thinking', 'tool_use'],
};
const namePattern = /^[a-zA-Z0-9_-]{1,128}$/;
/** Models that cannot be made to call. */
const unforced = /^claude-(opus-5-5|sonnet-5-5|fable-5-1|mythos-5-1)/;

export function checkAnthropic(body: Json, { isCount, book, headers, isGateway }: CheckOptions): string | null {
  return firstProblem(
    (function* () {
      yield headers['anthropic-version'] ? null : 'anthropic-version: header is required';
      yield checkBody(body, 'messages');
      yield isGateway ? null : unknownKeys(body, isCount ? countKeys : generateKeys);
      yield typeof body.model === 'string' ? null : 'model: field required';
      yield isCount ? null : checkLimit('max_tokens', body.max_tokens);
      for (const block of toBlocks(body.system ?? [])) yield checkText('system', block);
      yield checkTools(body);
      yield checkChoice(body);
      yield checkMessages(body, book);
    })(),
  );
}

export function toBlocks(content: Json): Json[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []);
}

function checkText(at: string, { type, text }: Json): string | null {
  if (type !== 'text') return null;
  return typeof text === 'string' && text.trim() !== '' ? null : `${at}: text content blocks must be non-empty`;
}

function checkTools({ tools = [] }: Json): string | null {
  return firstProblem(
    (function* () {
      for (const tool of tools) {
        const { name, input_schema: schema, strict } = tool;
        yield unknownKeys(tool, toolKeys, 'tools.');
        yield namePattern.test(name) ? null : `tools.name: "${name}" does not match ${namePattern.source}`;
        yield schema?.type === 'object' ? null : `tools.${name}.input_schema.type: must be object`;
        yield ['oneOf', 'anyOf', 'allOf'].some((key) => key in schema)
          ? `tools.${name}.input_schema: no oneOf, anyOf or allOf at the top level`
          : null;
        yield strict === true ? checkStrict(schema, `tools.${name}.input_schema`, false) : null;
      }
      yield checkUniqueNames(tools.map((tool: Json) => tool.name));
    })(),
  );
}

function checkChoice({ tools, tool_choice: choice, model, thinking }: Json): string | null {
  if (choice === undefined) return null;
  if (!tools?.length) return 'tool_choice: may only be specified while providing tools';
  const isForced = choice.type === 'any' || choice.type === 'tool';
  if (isForced && unforced.test(model)) return `tool_choice: ${choice.type} is not supported by ${model}`;
  if (isForced && thinking?.type === 'enabled') return 'tool_choice: thinking may not be enabled when a call is forced';
  switch (choice.type) {
    case 'auto':
    case 'any':
      return unknownKeys(choice, ['type', 'disable_parallel_tool_use'], 'tool_choice.');
    case 'tool':
      return tools.some(({ name }: Json) => name === choice.name)
        ? unknownKeys(choice, ['type', 'name', 'disable_parallel_tool_use'], 'tool_choice.')
        : `tool_choice: the tool "${choice.name}" is not in tools`;
    case 'none':
      return unknownKeys(choice, ['type'], 'tool_choice.');
    default:
      return `tool_choice.type: "${choice.type}" is none of auto, any, tool, none`;
  }
}

function checkMessages({ messages, tools }: Json, book: SignatureBook): string | null {
  return firstProblem(
    (function* () {
      let open: string[] = [];
      const seen = new Set<string>();
      yield messages[0].role === 'user' ? null : 'messages: first message must use the "user" role';
      for (const [index, { role, content }] of (messages as Json[]).entries()) {
        const at = `messages.${index}`;
        const blocks = toBlocks(content);
        yield role in blockTypes ? null : `${at}: unexpected role "${role}"`;
        yield blocks.length > 0 ? null : `${at}: content is empty`;
        for (const block of blocks) {
          yield blockTypes[role]!.includes(block.type) ? null : `${at}: unexpected block "${block.type}" of ${role}`;
          yield checkText(at, block);
        }
        if (role === 'user') {
          yield checkResults(at, blocks, open);
          open = [];
          continue;
        }
        yield open.length > 0 ? `${at}: tool_use ids were found without tool_result blocks: ${open.join()}` : null;
        const uses = blocks.filter(({ type }) => type === 'tool_use');
        yield uses.length > 0 && !tools?.length ? 'tools: field required where tool_use blocks are' : null;
        for (const { id, name, input } of uses) {
          yield /^[a-zA-Z0-9_-]+$/.test(id) ? null : `${at}: the id "${id}" does not match the pattern`;
          yield seen.has(id) ? `${at}: tool_use ids must be unique, found "${id}" again` : null;
          yield namePattern.test(name) ? null : `${at}: the name "${name}" does not match the pattern`;
          yield isObject(input) ? null : `${at}: tool_use.input must be an object`;
          seen.add(id);
        }
        open = uses.map(({ id }) => id);
        yield checkThinking(at, blocks, uses, book);
      }
      yield open.length > 0 ? `tool_use ids were found without tool_result blocks at the end: ${open.join()}` : null;
      const { role, content } = messages.at(-1);
      yield role === 'assistant' && /\s$/.test(contentText(content))
        ? 'messages: final assistant content cannot end with trailing whitespace'
        : null;
    })(),
  );
}

function checkResults(at: string, blocks: Json[], open: readonly string[]): string | null {
  return firstProblem(
    (function* () {
      const results = blocks.filter(({ type }) => type === 'tool_result');
      const ids: string[] = results.map((block) => block.tool_use_id);
      yield blocks.slice(0, results.length).every(({ type }) => type === 'tool_result')
        ? null
        : `${at}: tool_result blocks must come first`;
      yield ids.some((id) => !open.includes(id)) ? `${at}: unexpected tool_use_id in tool_result blocks` : null;
      yield new Set(ids).size === ids.length ? null : `${at}: each tool_use must have a single result`;
      yield open.some((id) => !ids.includes(id)) ? `${at}: tool_use ids were found without tool_result blocks` : null;
      for (const { content, is_error: isError } of results) {
        if (typeof content !== 'string') for (const block of content ?? []) yield checkText(at, block);
        const isPlain = typeof content === 'string' || toBlocks(content).every(({ type }) => type === 'text');
        yield isError && !isPlain ? `${at}: all content must be text if is_error is true` : null;
        yield isError && contentText(content).trim() === ''
          ? `${at}: content cannot be empty if is_error is true`
          : null;
      }
    })(),
  );
}

/** Thinking comes first and unchanged; a message that was signed does not go without. */
function checkThinking(at: string, blocks: Json[], uses: Json[], book: SignatureBook): string | null {
  const signatureOf = ({ type, signature, data }: Json) => (type === 'redacted_thinking' ? data : signature);
  const isThinking = ({ type }: Json) => type === 'thinking' || type === 'redacted_thinking';
  const thoughts = blocks.filter(isThinking);
  const words = contentText(blocks.filter(({ type }) => type === 'text'));
  const calls = uses.map(({ name, input }) => ({ name, arguments: input }));
  const signatures = book.known(words, calls);
  if (thoughts.some((each) => book.reasoningOf(signatureOf(each)) !== (each.thinking ?? ''))) {
    return `${at}: invalid signature in thinking block`;
  }
  if (thoughts.length > 0 && !isThinking(blocks[0])) return `${at}: thinking blocks must come first`;
  if (signatures.length === 0) return null;
  if (thoughts.length === 0) return `${at}: expected thinking, found ${blocks[0].type}`;
  return thoughts.length === 1 && signatures.includes(signatureOf(thoughts[0]))
    ? null
    : `${at}: thinking blocks of another message`;
}
