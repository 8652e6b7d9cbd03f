/** One worker of the drill: callers that ask the stand-in as fast as their turns come, until the time is over. */
import { request } from 'node:http';
import { waitForTurn } from '../../src/activities/rate-turn.ts';
import { createPostgresBuckets } from '../../src/store/buckets/postgres-buckets.ts';
import type { Start } from '../../src/store/buckets/rate-buckets.ts';

const [databaseUrl, port, callers, seconds, rpm, tpm, reserved] = process.argv.slice(2) as [string, ...string[]];
const rate = { key: 'drill', limit: { rpm: Number(rpm), tpm: Number(tpm) }, limitName: 'drill' };
const buckets = createPostgresBuckets(databaseUrl);
const over = new AbortController();
setTimeout(() => over.abort(), Number(seconds) * 1_000);

/** What the server would do with a call that is put off. */
const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function call(): Promise<void> {
  let held: Start | null = null;
  for (;;) {
    const turn = await waitForTurn(buckets, rate, Number(reserved), { held, signal: over.signal });
    if (turn.kind === 'too-large') throw new Error(`${reserved} tokens are more than ${turn.tpm}`);
    if (turn.kind === 'go') {
      const { status, tokens } = await ask();
      await turn.end(status === 429 ? { kind: 'refused', waitMs: 1_000 } : { kind: 'used', tokens });
      return;
    }
    held = turn.start;
    await later(turn.waitMs);
  }
}

function ask(): Promise<{ status: number; tokens: number }> {
  return new Promise((resolve, reject) => {
    const asked = request({ port: Number(port), host: '127.0.0.1' }, (answer) => {
      answer.resume();
      answer.on('end', () => resolve({ status: answer.statusCode!, tokens: Number(answer.headers['x-tokens'] ?? 0) }));
    });
    asked.on('error', reject).end();
  });
}

await Promise.allSettled(
  Array.from({ length: Number(callers) }, async () => {
    while (!over.signal.aborted) await call();
  }),
);
await buckets.close();
