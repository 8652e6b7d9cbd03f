/**
 * Two workers that share their buckets in PostgreSQL, against a provider that counts every 60 s: what of the limit is
 * reached, and how much is refused. Needs PostgreSQL.
 *   node --import ./test/embedded/run-typescript.mjs bench/rate-limit/run.ts [SECONDS] [RPM] [TPM] [RESERVED] [CALLERS]
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { findPostgres, startPostgres, withoutPostgres } from '../../test/support/postgres.ts';

const [seconds = 125, rpm = 600, tpm = 1_000_000, reserved = 1_500, callers = 30] = process.argv.slice(2).map(Number);
const windowMs = 60_000;

type Request = { readonly atMs: number; readonly tokens: number };
const taken: Request[] = [];
let refused = 0;

/** Takes a request where the last 60 s hold room for it and its tokens; answers after 250 to 550 ms. */
const provider = createServer((_, answer) => {
  const atMs = performance.now();
  const tokens = Math.round(reserved * (0.4 + Math.random() * 0.4));
  const recent = taken.filter((each) => each.atMs > atMs - windowMs);
  const recentTokens = recent.reduce((sum, each) => sum + each.tokens, 0);
  if (recent.length >= rpm || recentTokens + tokens > tpm) {
    refused += 1;
    answer.writeHead(429, { 'retry-after': '1' }).end();
    return;
  }
  taken.push({ atMs, tokens });
  setTimeout(() => answer.writeHead(200, { 'x-tokens': String(tokens) }).end(), 250 + Math.random() * 300);
});
provider.listen(0, '127.0.0.1');
await once(provider, 'listening');
const { port } = provider.address() as AddressInfo;

const bin = findPostgres();
if (bin === null) throw new Error(withoutPostgres);
const postgres = await startPostgres(bin);
const hook = fileURLToPath(new URL('../../test/embedded/run-typescript.mjs', import.meta.url));
const worker = fileURLToPath(new URL('./worker.ts', import.meta.url));
const args = [postgres.url, port, callers, seconds, rpm, tpm, reserved].map(String);
const workers = [1, 2].map(() => spawn(process.execPath, ['--import', hook, worker, ...args], { stdio: 'inherit' }));
await Promise.all(workers.map((each) => once(each, 'exit')));

const firstMs = taken[0]!.atMs;
/** The two minutes from the first request on, or what there is of them. */
const measuredMs = Math.min(120_000, taken.at(-1)!.atMs - firstMs);
const inTime = taken.filter(({ atMs }) => atMs < firstMs + measuredMs);
const perMinute = (sum: number) => (sum * 60_000) / measuredMs;
const tokens = inTime.reduce((sum, each) => sum + each.tokens, 0);
const share = (value: number, limit: number) => `${((100 * value) / limit).toFixed(1)} % of ${limit}`;
console.log(`measured ${(measuredMs / 1_000).toFixed(1)} s, ${inTime.length} requests taken, ${refused} refused`);
console.log(`requests per minute: ${share(perMinute(inTime.length), rpm)}`);
console.log(`tokens per minute:   ${share(perMinute(tokens), tpm)}`);

provider.close();
await postgres.stop();
