/**
 * Records the histories that CI replays: one small run of every kind, by the built product.
 * `node scripts/record-histories.mjs [kind…]` writes test/replay/histories/<kind>.json; commit what it writes with the
 * change that made it necessary.
 */
import { Client, Connection } from '@temporalio/client';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const target = join(root, 'test', 'replay', 'histories');
const folder = mkdtempSync(join(tmpdir(), 'tributary-histories-'));
const me = `${userInfo().username}@${hostname()}`;
const dataDir = join(folder, 'state');
const corpus = join(folder, 'documents');
mkdirSync(corpus);
mkdirSync(target, { recursive: true });
writeFileSync(join(corpus, 'river.md'), '# The river\n\nThe river is long. It ends in the sea.\n');

const search = { calls: [{ tool: 'corpus_search', arguments: { query: 'river' } }] };
const read = { calls: [{ tool: 'corpus_read', arguments: { document: 'river.md' } }] };
const report = {
  report: { summary: 'Read.', claims: [{ text: 'It is long.', document: 'river.md', quote: 'The river is long.' }] },
};
const whole = [search, { calls: [...search.calls, ...read.calls] }, report];
const fails = [{ fail: { code: 'MODEL_AUTH' } }];
const flaky = [{ ...search, fail: { code: 'MODEL_SERVER', times: 1 } }, report];
const hangs = [search, { hang: true }];
const slow = [search, { ...read, latency: '4s' }, report];
const slowest = [search, { ...read, latency: '9s' }, report];
const three = ['one', 'two', 'three'];

/** kind: its script, its flags, what is done to it while it runs, and the run that is started with it after its end. */
const kinds = {
  completed: { script: { plan: three, subagents: { '*': whole, s2: flaky } } },
  extractive: { model: 'extractive' },
  partial: { script: { plan: three, subagents: { '*': whole, s2: fails } } },
  'join-all-failed': { script: { plan: three, subagents: { '*': hangs, s2: fails } }, flags: ['--join', 'all'] },
  'join-first': { script: { plan: three, subagents: { '*': hangs, s2: whole } }, flags: ['--join', 'first'] },
  'join-deadline': { script: { plan: three, subagents: { '*': whole, s3: hangs } }, flags: ['--deadline', '3s'] },
  windowed: { script: { plan: three, subagents: { '*': whole } }, flags: ['--concurrency', '1'] },
  'turn-cap': { script: { plan: three, subagents: { '*': [search, read, search] } }, flags: ['--max-turns', '3'] },
  loop: { script: { plan: ['one'], subagents: { '*': [search, search, search, search] } } },
  'wall-clock': {
    script: { plan: ['one', 'two'], subagents: { s1: whole, s2: [search, { hang: true }] } },
    flags: ['--budget-time', '5s'],
  },
  'budget-exhausted': { script: { plan: three, subagents: { '*': whole } }, flags: ['--budget-tokens', '5000'] },
  'plan-invalid': { script: { plan: { text: 'no plan' } } },
  cancelled: { script: { plan: three, subagents: { '*': hangs } }, during: cancel() },
  'cancelled-subagent': {
    script: { plan: three, subagents: { '*': whole, s2: hangs } },
    during: cancel('--subagent', 's2'),
  },
  'subagent-retried': {
    script: {
      plan: three,
      subagents: { '*': whole, s1: slowest, s2: [search, { ...report, fail: { code: 'MODEL_AUTH', times: 1 } }] },
    },
    during: (runId) => cli('retry-subagent', runId, 's2'),
  },
  'worker-killed': { script: { plan: three, subagents: { '*': slow } }, during: killWorker },
  'in-progress': { script: { plan: three, subagents: { '*': hangs, s1: whole } }, during: () => undefined, open: true },
  // One that takes over another: s1 is reused, s2 goes on amid its work, s3 is done anew.
  retry: {
    script: { plan: three, subagents: { '*': whole, s2: [search, ...fails], s3: fails } },
    then: async (runId, file) => {
      await killWorker(); // it has read the script
      writeFileSync(file, JSON.stringify({ plan: three, subagents: { '*': whole } }));
      return cli('retry', runId, '--detach').stdout.trim();
    },
  },
  'rerun-synthesis': {
    script: { plan: three, subagents: { '*': whole, s2: fails } },
    then: (runId) => cli('rerun', runId, '--from', 'synthesis', '--detach').stdout.trim(),
  },
  ...joinsWithLosses(),
};

/** Each join with each way to lose a subagent: s1 has answered, s2 is lost, s3 comes after it, s4 never. */
function joinsWithLosses() {
  const answers = [{ report: { summary: 'Found.' } }];
  const after = [{ ...answers[0], latency: '9s' }];
  const never = [{ hang: true }];
  const losses = {
    failed: { s2: [{ ...fails[0], latency: '2s' }] }, // after s1 has answered
    cancelled: { s2: never, during: cancel('--subagent', 's2') },
    terminated: { s2: never, during: (runId) => client.workflow.getHandle(`${runId}/s2`).terminate() },
    late: { s2: never, flags: ['--deadline', '3s'], isLate: true },
  };
  const joins = { all: [3, 3], partial: [3, 2], first: [4, 2] };
  return Object.fromEntries(
    Object.entries(joins).flatMap(([join, [planned, enough]]) =>
      Object.entries(losses).map(([loss, { s2, during, flags = [], isLate }]) => {
        const s3 = isLate ? answers : join === 'all' ? never : after;
        const goals = ['one', 'two', 'three', 'four'].slice(0, planned);
        // A late one is a loss to `first` only where those that answered are not enough.
        const needed = join === 'first' && isLate ? 3 : enough;
        const all = ['--join', join, ...(join === 'all' ? [] : ['--min-success', String(needed)]), ...flags];
        const script = { plan: goals, subagents: { s1: answers, s2, s3, s4: never } };
        return [`${join}-with-${loss}`, { script, flags: all, during }];
      }),
    ),
  );
}

function cancel(...flags) {
  return (runId) => cli('cancel', runId, '-y', '--wait', ...flags);
}

async function killWorker() {
  worker.kill('SIGKILL');
  await once(worker, 'exit');
  worker = await startWorker();
}

function cli(...args) {
  const all = [join(root, 'dist', 'cli.js'), ...args, '--data-dir', dataDir];
  return spawnSync(process.execPath, all, { encoding: 'utf8', maxBuffer: 2 ** 30 });
}

async function startWorker() {
  const all = [join(root, 'dist', 'cli.js'), 'worker', '--data-dir', dataDir];
  const program = spawn(process.execPath, all, { stdio: ['ignore', 'ignore', 'pipe'] });
  let text = '';
  await new Promise((resolve) =>
    program.stderr.on('data', (chunk) => {
      text += chunk;
      if (text.includes('polls')) resolve();
    }),
  );
  return program;
}

/** Names of people and machines have no place in a committed file, and replay does not look at them. */
function withoutNames(json) {
  return JSON.parse(json, (key, value) => {
    if (key === 'identity') return 'recorded';
    if (key === 'stackTrace') return '';
    if (key === 'name' && /^\d+@/.test(value)) return 'sticky';
    // Payloads are in Base64: the folder's name is inside them, and who acted.
    if (key === 'data' && typeof value === 'string') {
      const text = Buffer.from(value, 'base64')
        .toString('utf8')
        .replaceAll(folder, '/recorded')
        .replaceAll(me, 'recorded');
      return Buffer.from(text).toString('base64');
    }
    return value;
  });
}

/** All of the run and below it, in the form that `replay` reads. */
function historiesOf(runId) {
  const exported = cli('export', runId, '--histories', '--out', '-');
  if (exported.status !== 0) throw new Error(`${runId}: ${exported.stderr}`);
  return withoutNames(exported.stdout);
}

let worker = await startWorker();
const record = JSON.parse(readFileSync(join(dataDir, 'server.json'), 'utf8'));
const connection = await Connection.connect({ address: `127.0.0.1:${record.ports.grpc}` });
const client = new Client({ connection, namespace: record.namespace });
const wanted = process.argv.slice(2);
for (const [kind, { script, model, flags = [], during, then, open }] of Object.entries(kinds)) {
  if (wanted.length > 0 && !wanted.includes(kind)) continue;
  const file = join(folder, `${kind}.json`);
  if (script) writeFileSync(file, JSON.stringify(script));
  const started = cli(
    'start',
    `Recorded ${kind}?`,
    '--run-id',
    `recorded-${kind}`,
    '--corpus',
    corpus,
    '--model',
    model ?? `scripted:${file}`,
    ...flags,
  );
  if (started.status !== 0) throw new Error(`${kind}: ${started.stderr}`);
  let runId = started.stdout.trim();
  if (during) {
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    await during(runId);
  }
  if (!open) cli('result', runId, '--wait', '--timeout', '60s', '--quiet');
  if (then) {
    runId = await then(runId, file);
    cli('result', runId, '--wait', '--timeout', '60s', '--quiet');
  }
  const { status } = await client.workflow.getHandle(runId).describe();
  const histories = historiesOf(runId);
  writeFileSync(join(target, `${kind}.json`), `${JSON.stringify(histories)}\n`);
  console.log(`${kind}: ${status.name}, ${Object.keys(histories).length} histories`);
  if (open) cli('cancel', runId, '-y', '--wait');
}
await connection.close();
worker.kill('SIGTERM');
await once(worker, 'exit');
rmSync(folder, { recursive: true, force: true });
