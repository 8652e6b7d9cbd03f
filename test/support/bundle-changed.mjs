/**
 * Bundles the workflow code with changes in one file: `node bundle-changed.mjs <folder> <file> <from> <to> [<from> <to>…]`
 * prints the path of the bundle.
 */
import { bundleWorkflowCode } from '@temporalio/worker';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const [folder, file, ...edits] = process.argv.slice(2);
const root = fileURLToPath(new URL('../..', import.meta.url));
mkdirSync(folder, { recursive: true });
for (const part of ['workflows', 'domain', 'contract', 'temporal'])
  cpSync(join(root, 'src', part), join(folder, part), { recursive: true });
writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
const path = join(folder, file);
let text = readFileSync(path, 'utf8');
for (let index = 0; index < edits.length; index += 2) {
  if (!text.includes(edits[index])) throw new Error(`${file} has no "${edits[index]}" to change`);
  text = text.replace(edits[index], edits[index + 1]);
}
writeFileSync(path, text);
const quiet = { trace() {}, debug() {}, info() {}, warn() {}, error: console.error, log() {} };
const workflowsPath = join(folder, 'workflows', 'index.ts');
const { code } = await bundleWorkflowCode({ workflowsPath, preloadModules: ['zod'], logger: quiet });
writeFileSync(join(folder, 'workflow-bundle.js'), code);
process.stdout.write(join(folder, 'workflow-bundle.js'));
