/** Spares a key that has no quota left: once a provider has said so, no other call of this worker asks again for a while. */
import { failureCodeOf, TributaryError } from '../contract/failure.ts';
import type { Model } from './model.ts';

/** Long enough for the siblings of a run to stop, short enough for a key that was topped up. */
const closedMs = 60_000;

export type KeyGate = { closedUntilMs: number };

export function openKeyGate(): KeyGate {
  return { closedUntilMs: 0 };
}

/** The model behind the gate that all models of its key share. A call that finds it closed sends nothing and costs nothing. */
export function withKeyGate(model: Model, gate: KeyGate, now: () => number = Date.now): Model {
  return {
    name: model.name,
    ...(model.rate && { rate: model.rate }),
    countTokens: (request, options) => model.countTokens(request, options),
    async call(request, options) {
      if (now() < gate.closedUntilMs) {
        throw new TributaryError(
          'MODEL_QUOTA',
          `${model.name}: another call has just learned that the quota of this key is used up; nothing was sent`,
        );
      }
      try {
        return await model.call(request, options);
      } catch (error) {
        if (failureCodeOf(error) === 'MODEL_QUOTA') gate.closedUntilMs = now() + closedMs;
        throw error;
      }
    },
  };
}
