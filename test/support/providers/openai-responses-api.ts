/** OpenAI Responses: how it is asked and how it answers. Its rules are in a file of their own. */
import { openAiError } from './error-shapes.ts';
import { checkResponses, isOfModel } from './openai-responses-rules.ts';
import { contentText, toText, type Json, type ProviderApi, type Stop, type Turn } from './provider-api.ts';
import type { SignatureBook } from './signature-book.ts';
import { responsesUsage } from './usage-shapes.ts';

const incompletes: Partial<Record<Stop, string>> = {
  length: 'max_output_tokens',
  'content-filter': 'content_filter',
  invented: 'brand_new_reason',
};

export const openAiResponsesApi: ProviderApi = {
  key: (headers) => headers.authorization?.replace(/^Bearer /, ''),
  isCount: (path) => path === '/v1/responses/input_tokens',
  isGenerate: (path) => path === '/v1/responses',
  check: checkResponses,
  read(body) {
    const items: Json[] = typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : body.input;
    const textsOf = (...roles: string[]) =>
      items.filter(({ role }) => roles.includes(role)).map(({ content }) => contentText(content));
    return {
      system: [...(body.instructions ? [body.instructions] : []), ...textsOf('system', 'developer')].join('\n'),
      user: textsOf('user'),
      // Items of the model that stand together are one reply.
      turns: items.filter((item, index) => isOfModel(item) && !isOfModel(items[index - 1])).length,
      results: items.filter(({ type }) => type === 'function_call_output').map(({ output }) => contentText(output)),
      tools: (body.tools ?? []).map((tool: Json) => tool.name),
      mayCall: body.tool_choice !== 'none',
    };
  },
  render(turn, { book, body }) {
    const reason = turn.rawStop ?? incompletes[turn.stop ?? 'stop'];
    const isFailed = turn.stop === 'failed';
    return {
      id: 'resp_1',
      object: 'response',
      created_at: 1,
      model: 'gpt-5-test',
      status: isFailed ? 'failed' : reason === undefined ? 'completed' : 'incomplete',
      incomplete_details: reason === undefined ? null : { reason },
      error: isFailed ? { code: 'server_error', message: turn.text ?? 'The model failed.' } : null,
      output: isFailed || turn.stop === 'no-choices' ? [] : renderOutput(turn, book, body),
      ...responsesUsage(turn.usage),
    };
  },
  renderCount: (tokens) => ({ object: 'response.input_tokens', input_tokens: tokens }),
  renderError: openAiError,
};

function renderOutput(turn: Turn, book: SignatureBook, body: Json): Json[] {
  const calls = turn.calls ?? [];
  const text = turn.text ?? '';
  const content =
    turn.stop === 'refusal'
      ? [{ type: 'refusal', refusal: text || 'No.' }]
      : text === ''
        ? []
        : [{ type: 'output_text', text, annotations: [] }];
  return [
    ...renderReasoning(turn, book, body),
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
  ];
}

/** The encrypted content is given to those who ask for it. */
function renderReasoning(turn: Turn, book: SignatureBook, body: Json): Json[] {
  if (!turn.signed && turn.reasoning === undefined) return [];
  const signature = book.issue(turn.text ?? '', turn.calls ?? []);
  const summary = turn.reasoning === undefined ? [] : [{ type: 'summary_text', text: turn.reasoning }];
  const isAskedFor = body.include?.includes('reasoning.encrypted_content') === true;
  return [
    {
      type: 'reasoning',
      id: `rs_${signature.replace(/\W/g, '')}`,
      summary,
      ...(isAskedFor && { encrypted_content: signature }),
    },
  ];
}
