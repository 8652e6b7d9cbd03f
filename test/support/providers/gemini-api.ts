/** Gemini generateContent: how it is asked and how it answers. Its rules are in files of their own. */
import { geminiError } from './error-shapes.ts';
import { checkGemini, declarationsOf, requestOf } from './gemini-rules.ts';
import { toObject, type Json, type ProviderApi, type Stop, type Turn } from './provider-api.ts';
import type { SignatureBook } from './signature-book.ts';
import { geminiUsage } from './usage-shapes.ts';

const stops: Partial<Record<Stop, string>> = {
  length: 'MAX_TOKENS',
  refusal: 'SAFETY',
  'content-filter': 'SAFETY',
  'malformed-call': 'MALFORMED_FUNCTION_CALL',
  invented: 'BRAND_NEW_REASON',
};
/** Reasons that come without content, whatever the model had begun to say. */
const bare = ['SAFETY', 'MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL', 'PROHIBITED_CONTENT', 'NO_IMAGE'];

export const geminiApi: ProviderApi = {
  key: (headers) => headers['x-goog-api-key'] as string | undefined,
  isCount: (path) => /^\/v1beta\/models\/[^/]+:countTokens$/.test(path),
  isGenerate: (path) => /^\/v1beta\/models\/[^/]+:generateContent$/.test(path),
  check: checkGemini,
  read(given) {
    const body = requestOf(given);
    const contents: Json[] = body.contents;
    const parts = contents.filter(({ role }) => role !== 'model').flatMap((content) => content.parts);
    return {
      system: (body.systemInstruction?.parts ?? []).map((part: Json) => part.text).join('\n'),
      user: parts.filter(({ text }) => text !== undefined).map(({ text }) => text),
      turns: contents.filter(({ role }) => role === 'model').length,
      results: parts
        .filter((part) => part.functionResponse)
        .map(({ functionResponse: { response } }) => {
          return typeof response.content === 'string' ? response.content : JSON.stringify(response);
        }),
      tools: declarationsOf(body).map(({ name }) => name),
      mayCall: body.toolConfig?.functionCallingConfig?.mode !== 'NONE',
    };
  },
  render(turn, { book }) {
    if (turn.stop === 'blocked-prompt') {
      return { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' }, ...geminiUsage(turn.usage) };
    }
    if (turn.stop === 'no-choices') return { candidates: [], ...geminiUsage(turn.usage) };
    const finishReason = turn.rawStop ?? stops[turn.stop ?? 'stop'] ?? 'STOP';
    const parts = bare.includes(finishReason) ? [] : renderParts(turn, book);
    return {
      candidates: [{ ...(parts.length > 0 && { content: { role: 'model', parts } }), finishReason, index: 0 }],
      ...geminiUsage(turn.usage),
    };
  },
  renderCount: (tokens) => ({ totalTokens: tokens }),
  renderError: geminiError,
};

/** Only the first of parallel calls is signed; a reply without calls is signed at its end. */
function renderParts(turn: Turn, book: SignatureBook): Json[] {
  const calls = turn.calls ?? [];
  const text = turn.text ?? '';
  const signed = turn.signed ? { thoughtSignature: book.issue(text, calls) } : {};
  return [
    ...(turn.reasoning === undefined ? [] : [{ text: turn.reasoning, thought: true }]),
    ...(text === '' ? [] : [{ text, ...(calls.length === 0 && signed) }]),
    ...calls.map(({ name, arguments: given, id }, index) => ({
      functionCall: { name, args: toObject(given), ...(typeof id === 'string' && { id }) },
      ...(index === 0 && signed),
    })),
  ];
}
