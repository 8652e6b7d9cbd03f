/** Downloads one file: with curl where there is one, since it honours every proxy and CA variable, else with fetch. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

const connectSeconds = 10;
const stallSeconds = 30;
const proxyVariables = ['HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy'];

/** The file's bytes; `path` is a place for them on the way. Throws with the reason in one line. */
export async function download(url, path, { log, isTty, env = process.env }) {
  const patience = `--connect-timeout ${connectSeconds} --speed-limit 1000 --speed-time ${stallSeconds}`.split(' ');
  const progress = isTty ? ['--progress-bar'] : ['--silent', '--show-error'];
  const args = ['--fail', '--location', ...progress, ...patience, '--output', path, url];
  const ended = await runCurl(args, isTty, env);
  if (ended === null) return readFileSync(path);
  if (ended !== 'no curl') throw new Error(ended);
  const proxy = proxyVariables.find((name) => env[name]);
  if (proxy) log(`${proxy} is set, but without curl it cannot be used here; trying a direct connection`);
  return downloadDirectly(url, isTty);
}

/** `null` = done. On a terminal curl's own words were seen already. */
function runCurl(args, isTty, env) {
  return new Promise((resolve) => {
    const child = spawn('curl', args, { env, stdio: ['ignore', 'ignore', isTty ? 2 : 'pipe'] });
    let said = '';
    child.stderr?.setEncoding('utf8').on('data', (chunk) => (said += chunk));
    child.once('error', () => resolve('no curl'));
    child.once('close', (code) => {
      if (code === null || code === 0) resolve(code === 0 ? null : 'curl was interrupted');
      else resolve(said.trim().split('\n').at(-1) || `curl ended with ${code}`);
    });
  });
}

async function downloadDirectly(url, isTty) {
  const stalled = new globalThis.AbortController();
  const onStall = () => stalled.abort(new Error(`nothing came for ${stallSeconds} s`));
  let timer = setTimeout(onStall, connectSeconds * 1_000);
  try {
    const response = await fetch(url, { signal: stalled.signal });
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    const total = Number(response.headers.get('content-length'));
    const chunks = [];
    let bytes = 0;
    for await (const chunk of response.body) {
      clearTimeout(timer);
      timer = setTimeout(onStall, stallSeconds * 1_000);
      chunks.push(chunk);
      bytes += chunk.length;
      if (isTty) process.stderr.write(`\r${total ? `${Math.floor((100 * bytes) / total)} %` : `${bytes >> 20} MB`} `);
    }
    if (isTty) process.stderr.write('\r');
    return Buffer.concat(chunks);
  } catch (error) {
    throw new Error(error.cause?.message ?? error.message, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}
