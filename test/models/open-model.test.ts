import { describe, expect, test } from '@jest/globals';
import type { ModelSettings } from '../../src/models/model-settings.ts';
import { createModelOpener } from '../../src/models/open-model.ts';

const none = { openai: null, anthropic: null, google: null, compatible: null };
const settings = (parts: { keys?: Partial<ModelSettings['keys']>; baseUrls?: Partial<ModelSettings['baseUrls']> }) =>
  ({
    keys: { ...none, ...parts.keys },
    baseUrls: { ...none, ...parts.baseUrls },
    proxyFor: () => null,
  }) as ModelSettings;

describe('a model of a vendor', () => {
  test.each([
    ['openai/gpt-6', 'OPENAI_API_KEY'],
    ['openai-chat/gpt-6', 'OPENAI_API_KEY'],
    ['anthropic/claude-opus-5-5', 'ANTHROPIC_API_KEY'],
    ['google/gemini-3.8-flash', 'GEMINI_API_KEY'],
  ])('%s without a key is refused with the variable to set', async (model, variable) => {
    const opening = createModelOpener(settings({}))({ model });
    await expect(opening).rejects.toMatchObject({ code: 'MODEL_AUTH', message: expect.stringContaining(variable) });
  });

  test('opens with its key, once', async () => {
    const open = createModelOpener(settings({ keys: { openai: 'sk-a' } }));
    const model = await open({ model: 'openai/gpt-6' });
    expect(model.name).toBe('openai/gpt-6');
    expect(await open({ model: 'openai/gpt-6' })).toBe(model);
  });

  test('of a vendor that nobody knows is refused with those that there are', async () => {
    const opening = createModelOpener(settings({}))({ model: 'mistral/large' });
    await expect(opening).rejects.toMatchObject({
      code: 'MODEL_UNKNOWN',
      message: expect.stringContaining('compatible/'),
    });
  });
});

describe('a compatible server', () => {
  const model = 'compatible/llama';

  test('needs an address, of the run or of the worker, and no key', async () => {
    await expect(createModelOpener(settings({}))({ model })).rejects.toMatchObject({
      code: 'MODEL_UNKNOWN',
      message: expect.stringContaining('--base-url'),
    });
    const baseUrl = 'http://127.0.0.1:1/v1';
    expect((await createModelOpener(settings({}))({ model, baseUrl })).name).toBe(model);
    expect((await createModelOpener(settings({ baseUrls: { compatible: baseUrl } }))({ model })).name).toBe(model);
  });

  test('gets the key of the worker only where it is the server that the key belongs to', async () => {
    const open = createModelOpener(
      settings({ keys: { compatible: 'sk-a' }, baseUrls: { compatible: 'https://models.example.org/v1' } }),
    );
    expect((await open({ model, baseUrl: 'https://models.example.org/v2' })).name).toBe(model);
    await expect(open({ model, baseUrl: 'https://elsewhere.example.org/v1' })).rejects.toMatchObject({
      code: 'MODEL_AUTH',
      message: expect.stringMatching(/elsewhere\.example\.org.*belongs to https:\/\/models\.example\.org/),
    });
  });
});
