import { expect, test } from '@jest/globals';
import { limitsFor } from '../../../src/models/limits/limits-for.ts';
import { findLimitQueue, findModelQueue, listModelQueues } from '../../../src/models/limits/model-queues.ts';
import type { ModelSettings } from '../../../src/models/model-settings.ts';

const none = { openai: null, anthropic: null, google: null, compatible: null };
const settingsOf = (
  keys: Partial<ModelSettings['keys']>,
  baseUrls: Partial<ModelSettings['baseUrls']> = {},
): ModelSettings => ({
  keys: { ...none, ...keys },
  baseUrls: { ...none, ...baseUrls },
  proxyFor: () => null,
});
const gpt5 = { model: 'openai/gpt-5' };

test('one queue for each key, named after its provider and a hash that gives the key away to nobody', () => {
  const names = listModelQueues(settingsOf({ openai: 'sk-one', google: 'g-one' }), {}).map((each) => each.taskQueue);
  expect(names).toEqual([
    expect.stringMatching(/^tributary-model-openai-[0-9a-f]{8}$/),
    expect.stringMatching(/^tributary-model-google-[0-9a-f]{8}$/),
  ]);
});

test('another key and another address are another queue; the usual address, written out, is not', () => {
  const queueOf = (settings: ModelSettings) => findModelQueue(gpt5, settings, {});
  const usual = queueOf(settingsOf({ openai: 'sk-one' }));
  expect(queueOf(settingsOf({ openai: 'sk-two' }))).not.toBe(usual);
  expect(queueOf(settingsOf({ openai: 'sk-one' }, { openai: 'http://127.0.0.1:9/v1' }))).not.toBe(usual);
  expect(queueOf(settingsOf({ openai: 'sk-one' }, { openai: 'https://api.openai.com/v1/' }))).toBe(usual);
});

test('models of one provider share its queue; those without a provider, and those without a key here, have none', () => {
  const settings = settingsOf({ openai: 'sk-one' });
  const [queue] = listModelQueues(settings, {});
  for (const model of ['openai/gpt-5', 'openai/gpt-5-mini', 'openai-chat/gpt-4.1'])
    expect(findModelQueue({ model }, settings, {})).toBe(queue!.taskQueue);
  for (const model of ['extractive', 'scripted:a.yaml', 'anthropic/claude-sonnet-4-5'])
    expect(findModelQueue({ model }, settings, {})).toBeNull();
});

test('a server without a key has a queue, and runs that name another server are not on it', () => {
  const settings = settingsOf({}, { compatible: 'http://127.0.0.1:8080/v1' });
  const [queue] = listModelQueues(settings, {});
  expect(queue!.taskQueue).toMatch(/^tributary-model-compatible-nokey-[0-9a-f]{8}$/);
  const queueOf = (baseUrl?: string) => findModelQueue({ model: 'compatible/qwen', baseUrl }, settings, {});
  expect([queueOf(), queueOf('http://127.0.0.1:8080/v1/')]).toEqual([queue!.taskQueue, queue!.taskQueue]);
  expect(queueOf('http://127.0.0.1:9090/v1')).toBeNull();
});

test('a model with requests a minute of its own has a queue of its own, which the worker polls and the limit finds', () => {
  const settings = settingsOf({ openai: 'sk-one' });
  const limits = {
    openai: { rpm: 600 },
    'openai/gpt-5': { rpm: 60 },
    'openai/o3': { tpm: 1_000 },
    anthropic: { rpm: 5 },
  };
  const [base, own, ...more] = listModelQueues(settings, limits);
  expect(more).toEqual([]);
  expect(base).toMatchObject({ limitName: 'openai', limit: { rpm: 600 } });
  expect(own).toEqual({ taskQueue: `${base!.taskQueue}/gpt-5`, limitName: 'openai/gpt-5', limit: { rpm: 60 } });
  for (const model of ['openai/gpt-5', 'openai-chat/gpt-5'])
    expect(findModelQueue({ model }, settings, limits)).toBe(own!.taskQueue);
  // Tokens are not the business of a queue.
  expect(findModelQueue({ model: 'openai/o3' }, settings, limits)).toBe(base!.taskQueue);
  expect(findLimitQueue('openai', settings)).toBe(base!.taskQueue);
  expect(findLimitQueue('openai/gpt-5', settings)).toBe(own!.taskQueue);
  expect(findLimitQueue('anthropic', settings)).toBeNull();
});

test('the entry of a model wins over that of its provider, as a whole', () => {
  const limits = { openai: { rpm: 600, tpm: 9 }, 'openai/gpt-5': { rpm: 60 } };
  expect(limitsFor('openai-chat/gpt-5', limits)).toMatchObject({ name: 'openai/gpt-5', limit: { rpm: 60 } });
  expect(limitsFor('openai/gpt-4.1', limits)).toMatchObject({ name: 'openai', limit: { rpm: 600, tpm: 9 } });
  expect(limitsFor('google/gemini-2.5-pro', limits)!.name).toBeNull();
  expect(limitsFor('extractive', limits)).toBeNull();
});
