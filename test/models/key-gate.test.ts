import { expect, test } from '@jest/globals';
import { TributaryError, type FailureCode } from '../../src/contract/failure.ts';
import { openKeyGate, withKeyGate } from '../../src/models/key-gate.ts';
import type { Model, ModelRequest } from '../../src/models/model.ts';

const request = {} as ModelRequest;
const options = { signal: AbortSignal.any([]), onRequest: () => undefined };

function modelThatFails(code: FailureCode): Model & { calls: number } {
  const model = {
    name: 'openai/m',
    calls: 0,
    countTokens: async () => null,
    async call(): Promise<never> {
      model.calls += 1;
      throw new TributaryError(code, 'no');
    },
  };
  return model;
}

test('after a quota error no model of the key asks again, until the time is over', async () => {
  let nowMs = 1_000;
  const gate = openKeyGate();
  const [first, second] = [modelThatFails('MODEL_QUOTA'), modelThatFails('MODEL_QUOTA')];
  const [a, b] = [withKeyGate(first, gate, () => nowMs), withKeyGate(second, gate, () => nowMs)];
  await expect(a.call(request, options)).rejects.toMatchObject({ code: 'MODEL_QUOTA' });
  await expect(b.call(request, options)).rejects.toMatchObject({
    code: 'MODEL_QUOTA',
    message: expect.stringContaining('nothing was sent'),
  });
  expect([first.calls, second.calls]).toEqual([1, 0]);
  nowMs += 60_000;
  await expect(b.call(request, options)).rejects.toMatchObject({ code: 'MODEL_QUOTA' });
  expect(second.calls).toBe(1);
});

test('other errors close nothing, and another key is not concerned', async () => {
  const gate = openKeyGate();
  const limited = modelThatFails('MODEL_RATE_LIMIT');
  const model = withKeyGate(limited, gate);
  await expect(model.call(request, options)).rejects.toMatchObject({ code: 'MODEL_RATE_LIMIT' });
  await expect(model.call(request, options)).rejects.toMatchObject({ code: 'MODEL_RATE_LIMIT' });
  expect(limited.calls).toBe(2);
  await expect(withKeyGate(modelThatFails('MODEL_QUOTA'), gate).call(request, options)).rejects.toThrow();
  const other = modelThatFails('MODEL_QUOTA');
  await expect(withKeyGate(other, openKeyGate()).call(request, options)).rejects.toThrow('no');
  expect(other.calls).toBe(1);
});
