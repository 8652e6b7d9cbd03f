/** From the name of a model to the model, with the key and the address that this worker is configured with. */
import { TributaryError } from '../contract/failure.ts';
import { createExtractiveModel } from './extractive/extractive-model.ts';
import type { RateLimits } from '../contract/rate-limits.ts';
import { openKeyGate, withKeyGate, type KeyGate } from './key-gate.ts';
import { limitsFor } from './limits/limits-for.ts';
import { toRateKey } from './limits/to-rate-key.ts';
import { baseUrlVariables, keyVariables, type ModelSettings, type ModelVendor } from './model-settings.ts';
import type { Model } from './model.ts';
import { readScript } from './scripted/script.ts';
import { createScriptedModel } from './scripted/scripted-model.ts';
import { createVendorModel } from './vendor/create-vendor-model.ts';
import { parseModelName } from './vendor/parse-model-name.ts';

const scripted = 'scripted:';

type Choice = { readonly model: string; readonly baseUrl?: string | undefined };

/**
 * Opens each model once. `MODEL_UNKNOWN` or `MODEL_SCRIPT_INVALID` where the name means nothing, `MODEL_AUTH` where this
 * worker has no key for it. Nothing is sent.
 */
export function createModelOpener(
  settings: ModelSettings,
  limits: RateLimits = {},
): (choice: Choice) => Promise<Model> {
  const opened = new Map<string, Promise<Model>>();
  const gates = new Map<string, KeyGate>();
  return (choice) => {
    const id = JSON.stringify([choice.model, choice.baseUrl ?? null]);
    const known = opened.get(id);
    if (known) return known;
    const opening = openModel(choice, settings, limits, gates);
    opened.set(id, opening);
    // A script that is mended must be readable again without a new worker.
    opening.catch(() => opened.delete(id));
    return opening;
  };
}

async function openModel(
  choice: Choice,
  settings: ModelSettings,
  limits: RateLimits,
  gates: Map<string, KeyGate>,
): Promise<Model> {
  const { model: name } = choice;
  if (name === 'extractive') return createExtractiveModel();
  if (name.startsWith(scripted)) return createScriptedModel(name, await readScript(name.slice(scripted.length)));
  const parsed = parseModelName(name);
  if (!parsed) {
    throw new TributaryError(
      'MODEL_UNKNOWN',
      `model "${name}": wanted "extractive", "scripted:FILE", or openai/, openai-chat/, anthropic/, google/ or compatible/ with the name of a model`,
    );
  }
  const payee: ModelVendor = parsed.vendor === 'openai-chat' ? 'openai' : parsed.vendor;
  const baseUrl = payee === 'compatible' ? requireBaseUrl(choice, settings) : settings.baseUrls[payee];
  const apiKey = payee === 'compatible' ? compatibleKey(name, baseUrl!, settings) : requireKey(name, payee, settings);
  const gateId = JSON.stringify([payee, baseUrl, apiKey]);
  const gate = gates.get(gateId) ?? openKeyGate();
  gates.set(gateId, gate);
  const model = createVendorModel({ name, ...parsed, baseUrl, apiKey, proxyFor: settings.proxyFor });
  const { name: limitName, limit, family } = limitsFor(name, limits)!;
  const rate = { key: toRateKey({ vendor: payee, baseUrl, apiKey, family }), limit, limitName };
  return withKeyGate({ ...model, rate }, gate);
}

function requireKey(name: string, payee: ModelVendor, { keys }: ModelSettings): string {
  const key = keys[payee];
  if (key !== null) return key;
  throw new TributaryError(
    'MODEL_AUTH',
    `model "${name}": the worker has no key; set ${keyVariables[payee].join(' or ')} where the worker runs, and start it again`,
  );
}

function requireBaseUrl({ model, baseUrl }: Choice, { baseUrls }: ModelSettings): string {
  const url = baseUrl ?? baseUrls.compatible;
  if (url !== null) return url;
  throw new TributaryError(
    'MODEL_UNKNOWN',
    `model "${model}": wanted the address of its server: --base-url, or ${baseUrlVariables.compatible} where the worker runs`,
  );
}

/** A configured key belongs to the configured server: a run that names another one does not get it. */
function compatibleKey(name: string, baseUrl: string, { keys, baseUrls }: ModelSettings): string | null {
  const own = baseUrls.compatible;
  if (keys.compatible === null || own === null || new URL(own).origin === new URL(baseUrl).origin) {
    return keys.compatible;
  }
  throw new TributaryError(
    'MODEL_AUTH',
    `model "${name}": the run asks for ${new URL(baseUrl).origin}, and the key of this worker belongs to ${new URL(own).origin}; set ${baseUrlVariables.compatible} to the same server, or unset it`,
  );
}
