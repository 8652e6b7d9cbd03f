/** Compiles src/ into dist/ and bundles the workflows. dist/ counts as built only when its stamp, written last, fits. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const stampName = '.built-from';
const inputs = [
  'src',
  'tsconfig.json',
  'tsconfig.build.json',
  'package.json',
  'package-lock.json',
  'scripts/build.mjs',
];

/** Whether dist/ was built, to the end, from the sources as they are now. */
export function isBuilt(root) {
  const stamp = join(root, 'dist', stampName);
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === hashInputs(root);
}

export async function build(root, log) {
  log('building');
  const hash = hashInputs(root);
  const dist = join(root, 'dist');
  const draft = join(root, 'dist.new');
  rmSync(draft, { recursive: true, force: true });
  compile(root, draft);
  // A compile error leaves the old dist/ as it was; from here on it is replaced, and without a stamp until the end.
  rmSync(dist, { recursive: true, force: true });
  renameSync(draft, dist);
  await bundleWorkflows(dist);
  if (existsSync(join(dist, 'cli.js'))) chmodSync(join(dist, 'cli.js'), 0o755);
  writeFileSync(join(dist, stampName), hash);
}

function compile(root, outDir) {
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const args = [tsc, '-p', join(root, 'tsconfig.build.json'), '--outDir', outDir];
  const { status, signal, error } = spawnSync(process.execPath, args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (status === 0) return;
  rmSync(outDir, { recursive: true, force: true });
  throw new Error(`the TypeScript compiler ended with ${error?.message ?? signal ?? status}: see its output above`);
}

/** Bundling takes seconds: done here, no worker does it at its start. */
async function bundleWorkflows(dist) {
  const workflowsPath = join(dist, 'workflows', 'index.js');
  if (!existsSync(workflowsPath)) return;
  const { bundleWorkflowCode } = await import('@temporalio/worker');
  // The schema library holds no state of a workflow, and evaluating it anew would cost each workflow more than its work.
  const preloadModules = ['zod'];
  const quiet = { trace() {}, debug() {}, info() {}, warn: console.error, error: console.error, log() {} };
  const { code } = await bundleWorkflowCode({ workflowsPath, preloadModules, logger: quiet });
  writeFileSync(join(dist, 'workflow-bundle.js'), code);
}

/** Over names and contents, so that a touched or re-cloned file is no reason to build. */
function hashInputs(root) {
  const hash = createHash('sha256');
  const add = (path) => {
    const full = join(root, path);
    if (!existsSync(full)) return;
    const text = readFileSync(full);
    hash.update(`${path}\0${text.length}\0`).update(text);
  };
  for (const input of inputs) {
    if (!input.includes('.')) {
      const names = readdirSync(join(root, input), { recursive: true, withFileTypes: true });
      const files = names
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
      for (const file of files.map((path) => path.slice(root.length + 1)).sort()) add(file);
    } else add(input);
  }
  return hash.digest('hex');
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const log = (line) => process.stderr.write(`build: ${line}\n`);
  build(dirname(dirname(fileURLToPath(import.meta.url))), log).catch((error) => {
    console.error(`error: ${error.message}`);
    process.exitCode = 1;
  });
}
