/** One set-up of a checkout at a time: `npm start` and `npm test` may be typed at once. */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** A lock without a name in it is of one that was killed between making and naming it. */
const namelessMs = 5_000;

export async function withSetupLock(root, log, body) {
  const lock = join(tmpdir(), `tributary-setup-${createHash('sha256').update(root).digest('hex').slice(0, 16)}`);
  for (let said = false; !take(lock); await delay(200)) {
    const holder = readHolder(lock);
    if (holder === null) rmSync(lock, { recursive: true, force: true });
    else if (!said) {
      log(`another set-up of this folder is running (process ${holder}); waiting for it`);
      said = true;
    }
  }
  try {
    return await body();
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

function take(lock) {
  try {
    mkdirSync(lock);
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
  writeFileSync(join(lock, 'pid'), String(process.pid));
  return true;
}

/** Pid of the living holder; `null` = nobody holds it any more. */
function readHolder(lock) {
  try {
    const pid = Number(readFileSync(join(lock, 'pid'), 'utf8'));
    process.kill(pid, 0);
    return pid;
  } catch (error) {
    if (error.code === 'EPERM') return 'of another user';
    if (error.code !== 'ENOENT') return null;
    const made = statSync(lock, { throwIfNoEntry: false });
    return made && Date.now() - made.mtimeMs < namelessMs ? 'just starting' : null;
  }
}
