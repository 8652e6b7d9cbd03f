/** The form of the tests that hold a stand-in to its vendor's rules: one legal request, and changes of it that each break one rule. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Json, Turn } from '../support/providers/provider-api.ts';
import { providerKey, startProvider, type Family, type Provider } from '../support/providers/start-provider.ts';

export const legalHeaders: Readonly<Record<Family, Readonly<Record<string, string>>>> = {
  openai: { authorization: `Bearer ${providerKey}` },
  'openai-chat': { authorization: `Bearer ${providerKey}` },
  compatible: { authorization: `Bearer ${providerKey}` },
  anthropic: { 'x-api-key': providerKey, 'anthropic-version': '2023-06-01' },
  google: { 'x-goog-api-key': providerKey },
};
export const paths: Readonly<Record<Family, string>> = {
  openai: '/responses',
  'openai-chat': '/chat/completions',
  compatible: '/chat/completions',
  anthropic: '/messages',
  google: '/models/gemini:generateContent',
};
export const countPaths: Partial<Record<Family, string>> = {
  openai: '/responses/input_tokens',
  anthropic: '/messages/count_tokens',
  google: '/models/gemini:countTokens',
};
export const smallest: Readonly<Record<Family, Json>> = {
  openai: {
    ...{ model: 'g', max_output_tokens: 16, store: false, include: ['reasoning.encrypted_content'] },
    input: [{ role: 'user', content: [{ type: 'input_text', text: 'Hello' }] }],
  },
  'openai-chat': { model: 'g', max_tokens: 10, messages: [{ role: 'user', content: 'Hello' }] },
  compatible: { model: 'g', max_tokens: 10, messages: [{ role: 'user', content: 'Hello' }] },
  anthropic: { model: 'c', max_tokens: 10, messages: [{ role: 'user', content: 'Hello' }] },
  google: { generationConfig: { maxOutputTokens: 10 }, contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] },
};

export type Posted = { readonly status: number; readonly body: Json; readonly headers: Headers };

export async function post(
  provider: Provider,
  path: string,
  body: Json,
  headers: Readonly<Record<string, string>>,
): Promise<Posted> {
  const response = await fetch(provider.url(path), {
    method: 'POST',
    headers,
    body: typeof body === 'string' ? body : JSON.stringify(body),
    redirect: 'manual',
  });
  const text = await response.text();
  return {
    status: response.status,
    body: text.startsWith('{') ? JSON.parse(text) : text,
    headers: response.headers,
  };
}

export function messageOf({ body }: Posted): string {
  return body.error?.message ?? '';
}

/** A change of the legal body, or for what changes alone does not say, a whole other one; and the rule that the refusal names. */
export type Rule = readonly [title: string, change: Json, names: RegExp];
export type Variant = readonly [title: string, change: Json];

export function describeRules(
  family: Family,
  legal: Json,
  { refused, taken = [] }: { readonly refused: readonly Rule[]; readonly taken?: readonly Variant[] },
): void {
  describe(family, () => {
    let provider: Provider;
    beforeAll(async () => {
      provider = await startProvider(family, { text: 'Said.' });
    });
    afterAll(() => provider.close());
    const ask = (body: Json) => post(provider, paths[family], body, legalHeaders[family]);

    test('takes a legal conversation', async () => {
      expect(await ask(legal)).toMatchObject({ status: 200 });
    });
    test.each(taken)('takes %s', async (_, change) => {
      expect(await ask({ ...legal, ...change })).toMatchObject({ status: 200 });
    });
    test.each(refused)('refuses %s, and says why', async (_, change, names) => {
      const posted = await ask({ ...legal, ...change });
      expect(messageOf(posted)).toMatch(names);
      expect(posted.status).toBe(400);
      expect(provider.refusals.at(-1)).toBe(messageOf(posted));
    });
    test('refuses half a surrogate pair, and takes a whole one', async () => {
      const text = JSON.stringify(legal);
      expect(messageOf(await ask(text.replace('Hello', '\\ud83d')))).toMatch(/lone surrogate/);
      expect((await ask(text.replace('Hello', '\\ud83d\\ude00'))).status).toBe(200);
    });
    test('refuses a list of nothing in the place of messages', async () => {
      const list = ['messages', 'input', 'contents'].find((key) => key in legal)!;
      expect(messageOf(await ask({ ...legal, [list]: [null] }))).toMatch(/not of the right shape/);
    });
    test.each(['{', '[]', 'null', '{}'])('refuses the body %s at once', async (body) => {
      expect((await ask(body)).status).toBe(400);
    });
  });
}

/** The conversation that follows a reply of a stand-in: a turn of signed calls, sent back as `build` says. */
export async function continued(
  family: Family,
  turn: Turn,
  build: (reply: Json) => Json,
  body: Json = smallest[family],
): Promise<Posted> {
  const provider = await startProvider(family, [turn, { text: 'Said.' }]);
  try {
    const first = await post(provider, paths[family], body, legalHeaders[family]);
    expect(first.status).toBe(200);
    return await post(provider, paths[family], { ...body, ...build(first.body) }, legalHeaders[family]);
  } finally {
    await provider.close();
  }
}
