import { expect, test } from '@jest/globals';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { request } from 'node:http';
import { joinServer, readServerState } from '../../src/embedded/join-server.ts';
import { apiHost } from '../../src/embedded/server-api.ts';
import { pollUntil } from '../../src/embedded/poll-until.ts';
import { readServerRecord } from '../../src/embedded/server-record.ts';
import { isServerAlive, makeDataDir, startJoinedProgram } from './state-folders.ts';

async function getJson(url: string): Promise<Record<string, unknown>> {
  const [response] = await once(request(url, { headers: { host: apiHost } }).end(), 'response');
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return JSON.parse(text);
}

test('two programs that join at once start one server, and the last to leave stops it', async () => {
  const dataDir = await makeDataDir();
  const programs = await Promise.all([startJoinedProgram(dataDir), startJoinedProgram(dataDir)]);
  expect(programs.map((each) => each.how).sort()).toEqual(['shared', 'started']);
  expect(programs[0].server).toEqual(programs[1].server);

  programs[0].process.stdin!.end();
  await once(programs[0].process, 'exit');
  expect(await isServerAlive(dataDir)).toBe(true);
  programs[1].process.stdin!.end();
  await once(programs[1].process, 'exit');
  expect(await isServerAlive(dataDir)).toBe(false);
}, 60_000);

test('two claims of one program count as two', async () => {
  const dataDir = await makeDataDir();
  const first = await joinServer({ dataDir });
  const second = await joinServer({ dataDir });
  expect([first.how, second.how]).toEqual(['started', 'shared']);
  await first.leave();
  await first.leave();
  expect(await isServerAlive(dataDir)).toBe(true);
  await second.leave();
  expect(await isServerAlive(dataDir)).toBe(false);
});

test('the namespace has thirty days of retention, and another one is made when asked for', async () => {
  const dataDir = await makeDataDir();
  const lease = await joinServer({ dataDir });
  const other = await joinServer({ dataDir, namespace: 'other' });
  expect([lease.server.namespace, other.server.namespace]).toEqual(['tributary', 'other']);
  const { ports } = (await readServerRecord(dataDir))!;
  for (const namespace of ['tributary', 'other']) {
    const described = await getJson(`http://127.0.0.1:${ports.http}/api/v1/namespaces/${namespace}`);
    expect(described.config).toMatchObject({ workflowExecutionRetentionTtl: '2592000s' });
  }
  await lease.leave();
  await other.leave();
});

test('a web page cannot post to the ports of the server: neither to its API nor to its page', async () => {
  const dataDir = await makeDataDir();
  const lease = await joinServer({ dataDir });
  const { ports } = (await readServerRecord(dataDir))!;
  const body = JSON.stringify({
    workflowType: { name: 'researchWorkflow' },
    taskQueue: { name: 'tributary' },
    requestId: '1',
  });
  const headers = { 'content-type': 'text/plain', origin: 'https://example.org' };
  for (const port of [ports.http, ports.ui]) {
    const url = `http://127.0.0.1:${port}/api/v1/namespaces/tributary/workflows/w1`;
    const [response] = await once(request(url, { method: 'POST', headers }).end(body), 'response');
    expect([400, 403]).toContain(response.statusCode);
    response.resume();
  }
  await lease.leave();
});

test('the next start takes the ports of the last one, and the folder is its owner’s alone', async () => {
  const dataDir = `${await makeDataDir()}/state`;
  const first = await joinServer({ dataDir });
  const { address, uiUrl } = first.server;
  await first.leave();
  expect(await readServerState(dataDir)).toMatchObject({ server: { address }, alive: false });
  const second = await joinServer({ dataDir });
  expect(second.server).toMatchObject({ address, uiUrl, version: '1.32.0', dataDir });
  expect((await stat(dataDir)).mode & 0o777).toBe(0o700);
  await second.leave();
});

test('a program that was killed does not keep the server alive', async () => {
  const dataDir = await makeDataDir();
  const killed = await startJoinedProgram(dataDir);
  const lease = await joinServer({ dataDir });
  expect(lease.how).toBe('shared');
  killed.process.kill('SIGKILL');
  await once(killed.process, 'exit');
  await lease.leave();
  expect(await isServerAlive(dataDir)).toBe(false);
}, 60_000);

test('a server that everybody left by being killed is shared by the next program', async () => {
  const dataDir = await makeDataDir();
  const killed = await startJoinedProgram(dataDir);
  killed.process.kill('SIGKILL');
  await once(killed.process, 'exit');
  const lease = await joinServer({ dataDir });
  expect(lease).toMatchObject({ how: 'shared', server: { pid: killed.server.pid } });
  await lease.leave();
  expect(await pollUntil(async () => !(await isServerAlive(dataDir)), 1_000)).toBe(true);
}, 60_000);
