/**
 * Six subagents, a scripted model with 300 ms per call: the run's wall time against its critical path.
 * Run it after `npm run setup`:  node bench/critical-path.mjs [RUNS]
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const runs = Number(process.argv[2] ?? 7);
const callMs = 300;
const turns = 4;
/** plan, the turns of the longest subagent, synthesis: nothing shorter is possible. */
const criticalMs = callMs * (1 + turns + 1);

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'tributary-bench-'));
const script = join(folder, 'script.json');
const search = { calls: [{ tool: 'corpus_search', arguments: { query: 'cancel' } }] };
const others = Array.from({ length: turns - 1 }, (_, index) => ({
  calls: [{ tool: 'corpus_search', arguments: { query: `cancel ${index}` } }],
}));
writeFileSync(
  script,
  JSON.stringify({
    latency: callMs,
    plan: Array.from({ length: 6 }, (_, index) => `subtask ${index + 1}`),
    subagents: { '*': [...others.slice(1), search, { report: { summary: 'done' } }] },
  }),
);
const cli = (...args) => [join(root, 'dist', 'cli.js'), ...args, '--data-dir', join(folder, 'state')];
const worker = spawn(process.execPath, cli('worker'), { stdio: ['ignore', 'ignore', 'pipe'] });
let text = '';
await new Promise((resolve) =>
  worker.stderr.on('data', (chunk) => {
    text += chunk;
    if (/polls/.test(text)) resolve();
  }),
);
const times = [];
for (let index = 0; index <= runs; index++) {
  const question = `Bench ${index}?`;
  const args = cli(
    'run',
    question,
    '--corpus',
    join(root, 'docs'),
    '--model',
    `scripted:${script}`,
    '--no-worker',
    '--json',
  );
  const { stdout, status } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`run ended with ${status}: ${stdout}`);
  if (index > 0) times.push(JSON.parse(stdout).usage.wallClockMs); // the first one warms the worker up
}
worker.kill('SIGTERM');
await once(worker, 'exit');
rmSync(folder, { recursive: true, force: true });
times.sort((a, b) => a - b);
const median = times[Math.floor(times.length / 2)];
console.log(
  `critical path ${criticalMs} ms; wall time of ${runs} runs: min ${times[0]}, median ${median}, max ${times.at(-1)} ms`,
);
console.log(`median / critical path: ${(median / criticalMs).toFixed(2)}`);
