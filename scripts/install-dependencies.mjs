/** Installs exactly what package-lock.json names, when what is there differs from it. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/**
 * Whether node_modules holds every locked package in its locked version. npm writes the list of what it installed at
 * the very end, so an install that was cut off does not count; an `npm install` by hand does.
 */
export function hasDependencies(root) {
  const installed = readPackages(join(root, 'node_modules', '.package-lock.json'));
  const locked = readPackages(join(root, 'package-lock.json'));
  if (!installed || !locked) return false;
  return Object.entries(locked).every(([path, entry]) => {
    if (path === '' || entry.link) return true;
    // Left out on a platform that they are not for.
    if (!installed[path]) return entry.optional === true;
    return installed[path].version === entry.version && installed[path].integrity === entry.integrity;
  });
}

function readPackages(path) {
  if (!existsSync(path)) return null;
  try {
    return JSON.parse(readFileSync(path, 'utf8')).packages ?? null;
  } catch {
    return null;
  }
}

export async function installDependencies(root, log) {
  log('installing the locked dependencies (npm ci)');
  const npm = process.env.npm_execpath;
  const [command, ...before] = npm && basename(npm) === 'npm-cli.js' ? [process.execPath, npm] : ['npm'];
  // The build needs the development packages whatever NODE_ENV says.
  const code = await run(command, [...before, 'ci', '--include=dev', '--no-audit', '--no-fund'], root);
  if (code !== 0)
    throw new Error(
      `"npm ci" ended with ${code}: see its output above. Behind a proxy, set HTTPS_PROXY; behind a company's certificate, NODE_EXTRA_CA_CERTS.`,
    );
}

function run(command, args, cwd) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, stdio: ['ignore', 2, 2] });
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(signal ?? code));
  });
}
