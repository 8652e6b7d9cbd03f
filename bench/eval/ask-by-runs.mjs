/** Asks by research runs of the built product: one worker, one `tributary run` a question. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { toPath } from './to-path.mjs';

const cli = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
/** Completed, and completed in part. */
const usableExitCodes = [0, 5];

/** @returns {Promise<{ code: number, stdout: string, stderr: string }>} */
async function runCli(args) {
  const child = spawn(process.execPath, [cli, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
  const [code] = await once(child, 'close');
  return { code, stdout: stdout.text, stderr: stderr.text };
}

function collect(stream) {
  const collected = { text: '' };
  stream.setEncoding('utf8').on('data', (chunk) => (collected.text += chunk));
  return collected;
}

/** Resolves once the worker polls; rejects with what it said where it ends before. */
async function startWorker(dataDir) {
  const worker = spawn(process.execPath, [cli, 'worker', '--json', '--data-dir', dataDir], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = collect(worker.stderr);
  const ended = once(worker, 'exit').then(([code]) => {
    throw new Error(`the worker ended with ${code}: ${said.text}`);
  });
  await Promise.race([once(worker.stdout, 'data'), ended]);
  ended.catch(() => undefined);
  return worker;
}

/**
 * @param {{ corpus: string, dataDir: string }} where
 * @returns {Promise<{ ask(question: string): Promise<{ report: string, cited: string[] }>, close(): Promise<void> }>}
 */
export async function openRuns({ corpus, dataDir }) {
  const worker = await startWorker(dataDir);
  const shared = ['--corpus', corpus, '--model', 'extractive', '--no-worker', '--json', '--data-dir', dataDir];
  return {
    async ask(question) {
      const { code, stdout, stderr } = await runCli(['run', question, ...shared]);
      if (!usableExitCodes.includes(code)) throw new Error(`"${question}" ended with ${code}: ${stdout}${stderr}`);
      const { report, citations, sources } = JSON.parse(stdout);
      const urls = new Map(sources.map(({ id, url }) => [id, url]));
      return { report, cited: [...new Set(citations.map(({ sourceId }) => toPath(urls.get(sourceId))))] };
    },
    async close() {
      if (worker.exitCode !== null) return;
      worker.kill('SIGTERM');
      await once(worker, 'exit');
    },
  };
}
