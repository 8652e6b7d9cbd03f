import { describe, expect, test } from '@jest/globals';
import { storePatiently as storeInActivity } from '../../src/activities/store-patiently.ts';
import { TributaryError } from '../../src/contract/failure.ts';
import { createWorld, memoryStore, modelOf, modelStep, openEnvironment, reply, runAttempts } from './activity-world.ts';

const storePatiently: typeof storeInActivity = (...input) => openEnvironment({}).run(() => storeInActivity(...input));
const full = () => new TributaryError('STORE_UNAVAILABLE', 'the disk is full');

/** A store that takes no blob the first `times` that one comes after `isFull` says so. */
function storeThatFails(times: number, isFull: () => boolean = () => true) {
  const store = memoryStore();
  let left = times;
  return {
    ...store,
    put: async (bytes: Uint8Array) => {
      if (isFull() && left-- > 0) throw full();
      return store.put(bytes);
    },
  };
}

describe('an answer that was paid for', () => {
  test('is kept until the store takes it, and not asked for again', async () => {
    const model = modelOf([reply({ text: 'paid' })]);
    const store = storeThatFails(2, () => model.requests.length > 0);
    const { activities } = createWorld({ model, store });
    const { result, attempts } = await runAttempts(activities.callModelActivity, modelStep());
    expect({ kind: result!.kind, attempts, requests: model.requests.length }).toEqual({
      kind: 'reply',
      attempts: 1,
      requests: 1,
    });
  });

  test('is not even asked for while the store takes nothing', async () => {
    const model = modelOf([reply()]);
    const { activities } = createWorld({ model, store: storeThatFails(8) });
    const { result, attempts } = await runAttempts(activities.callModelActivity, modelStep({ attempts: 1 }));
    expect(attempts).toBeGreaterThan(1);
    expect(result!.usage).toMatchObject({ requests: 1, lost: 0 });
  });
});

test('a store that stays full ends in its own words, and no repeat of the work can help', async () => {
  const storing = storePatiently(new AbortController().signal, () => Promise.reject(full()), 400);
  await expect(storing).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', message: 'the disk is full', final: true });
});

test('whoever cancels does not wait for the store', async () => {
  const cancel = new AbortController();
  const storing = storePatiently(cancel.signal, () => Promise.reject(full()));
  cancel.abort();
  await expect(storing).rejects.toMatchObject({ name: 'AbortError' });
});

test('any other failure of a store is told at once', async () => {
  let asked = 0;
  const storing = storePatiently(new AbortController().signal, async () => {
    asked += 1;
    throw new TributaryError('STORE_MISMATCH', 'another store');
  });
  await expect(storing).rejects.toMatchObject({ code: 'STORE_MISMATCH' });
  expect(asked).toBe(1);
});
