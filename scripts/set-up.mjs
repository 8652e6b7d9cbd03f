/** The steps of set-up, each skipped when it is done: locked dependencies, build, Temporal binary. */
import { dirname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, isBuilt } from './build.mjs';
import { fetchTemporal } from './fetch-temporal.mjs';
import { hasDependencies, installDependencies } from './install-dependencies.mjs';
import { withSetupLock } from './setup-lock.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Answers go to stdout; whatever is said on the way there goes to stderr. */
const log = (line) => process.stderr.write(`setup: ${line}\n`);

/** Prints nothing when there is nothing to do. Throws an error whose message is for people. */
export async function setUp() {
  if (hasDependencies(root) && isBuilt(root) && (await findTemporal()).binary) return;
  await withSetupLock(root, log, async () => {
    if (!hasDependencies(root)) await installDependencies(root, log);
    if (!isBuilt(root)) await build(root, log);
    await haveTemporal();
    log('ready');
  });
}

async function haveTemporal() {
  const { binary, pin, target, error } = await findTemporal();
  if (binary) return;
  if (process.env.TEMPORAL_CLI_PATH) throw error;
  try {
    await fetchTemporal({ pin, target, log, isTty: process.stderr.isTTY === true });
  } catch (failure) {
    if (!process.env.TEMPORAL_ADDRESS) throw failure;
    log(`no embedded server: ${failure.message}`);
    log(`going on without one, since TEMPORAL_ADDRESS names ${process.env.TEMPORAL_ADDRESS}`);
  }
}

/** By the built product's own rules, so that set-up and the programs never disagree. */
async function findTemporal() {
  const load = (name) => import(pathToFileURL(`${root}/dist/embedded/${name}.js`).href);
  const { findTemporal, toCachedBinaryPath } = await load('find-temporal');
  const { temporalPin } = await load('temporal-pin');
  const found = { pin: temporalPin, target: toCachedBinaryPath() };
  try {
    return { ...found, binary: await findTemporal() };
  } catch (error) {
    return { ...found, error };
  }
}
