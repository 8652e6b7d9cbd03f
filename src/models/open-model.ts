/** From the name of a model to the model. */
import { TributaryError } from '../contract/failure.ts';
import { createExtractiveModel } from './extractive/extractive-model.ts';
import type { Model } from './model.ts';
import { readScript } from './scripted/script.ts';
import { createScriptedModel } from './scripted/scripted-model.ts';

const scripted = 'scripted:';

/** Opens each model once. `MODEL_UNKNOWN` or `MODEL_SCRIPT_INVALID` where the name means nothing. */
export function createModelOpener(): (name: string) => Promise<Model> {
  const opened = new Map<string, Promise<Model>>();
  return (name) => {
    const known = opened.get(name);
    if (known) return known;
    const opening = openModel(name);
    opened.set(name, opening);
    // A script that is mended must be readable again without a new worker.
    opening.catch(() => opened.delete(name));
    return opening;
  };
}

async function openModel(name: string): Promise<Model> {
  if (name === 'extractive') return createExtractiveModel();
  if (name.startsWith(scripted)) return createScriptedModel(name, await readScript(name.slice(scripted.length)));
  throw new TributaryError(
    'MODEL_UNKNOWN',
    `model "${name}": wanted "extractive" or "scripted:FILE"; models of vendors are not part of this version`,
  );
}
