/** Names, addresses and proxies. */
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { parseModelName } from '../../../src/models/vendor/parse-model-name.ts';
import { resolveBaseUrl } from '../../../src/models/vendor/vendor.ts';
import { call, modelAt, plainUsage, startServer, toAnswer } from './vendor-world.ts';

describe('the name of a model', () => {
  test.each([
    ['openai/gpt-5.2', 'openai', 'gpt-5.2'],
    ['openai-chat/ft:gpt-4.1:org::id', 'openai-chat', 'ft:gpt-4.1:org::id'],
    ['anthropic/claude-opus-5-5', 'anthropic', 'claude-opus-5-5'],
    ['google/gemini-3-pro', 'google', 'gemini-3-pro'],
    ['compatible/meta-llama/Llama-3:8b', 'compatible', 'meta-llama/Llama-3:8b'],
  ])('%s', (name, vendor, modelId) => {
    expect(parseModelName(name)).toEqual({ vendor, modelId });
  });

  test.each([
    'extractive',
    'scripted:a/b.yaml',
    'mistral/large',
    'openai/',
    'openai',
    '/gpt',
    'OpenAI/x',
    'openai/a b',
    '',
  ])('"%s" is none of a vendor', (name) => {
    expect(parseModelName(name)).toBe(null);
  });
});

test('each vendor has its address, and a configured one wins', () => {
  expect(resolveBaseUrl('openai', null)).toBe('https://api.openai.com/v1');
  expect(resolveBaseUrl('openai-chat', null)).toBe('https://api.openai.com/v1');
  expect(resolveBaseUrl('anthropic', null)).toBe('https://api.anthropic.com/v1');
  expect(resolveBaseUrl('google', null)).toBe('https://generativelanguage.googleapis.com/v1beta');
  expect(resolveBaseUrl('anthropic', 'https://gateway.example/anthropic/')).toBe('https://gateway.example/anthropic');
  expect(resolveBaseUrl('compatible', 'http://127.0.0.1:11434')).toBe('http://127.0.0.1:11434');
  expect(() => resolveBaseUrl('compatible', null)).toThrow('no usual address');
});

test('the environment is never looked at', async () => {
  const names = [
    'OPENAI_API_KEY',
    'OPENAI_BASE_URL',
    'ANTHROPIC_API_KEY',
    'ANTHROPIC_BASE_URL',
    'GOOGLE_GENERATIVE_AI_API_KEY',
  ];
  const before = names.map((name) => process.env[name]);
  names.forEach((name) => (process.env[name] = 'http://127.0.0.1:1/from-environment'));
  const server = await startServer({ json: toAnswer('compatible', { text: 'x', usage: plainUsage('compatible') }) });
  await call(modelAt('compatible', server.url, { apiKey: null }));
  expect(JSON.stringify(server.requests[0]!.headers)).not.toContain('from-environment');
  await server.close();
  names.forEach((name, index) => {
    if (before[index] === undefined) delete process.env[name];
    else process.env[name] = before[index];
  });
});

test('a proxy is used where one is named for the address, and a lost one is a failure of the network', async () => {
  const server = await startServer({
    json: toAnswer('anthropic', { text: 'by proxy', usage: plainUsage('anthropic') }),
  });
  const tunnels: string[] = [];
  const proxy = createServer();
  proxy.on('connect', (request, client) => {
    tunnels.push(request.url!);
    const { hostname, port } = new URL(`http://${request.url}`);
    const onward = connect(Number(port), hostname, () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      onward.pipe(client).pipe(onward);
    });
    onward.on('error', () => client.destroy());
    client.on('error', () => onward.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const proxyUrl = `http://user:hunter2@127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const asked: string[] = [];
  const model = modelAt('anthropic', server.url, {
    proxyFor: (url) => {
      asked.push(url);
      return proxyUrl;
    },
  });
  expect((await call(model)).text).toBe('by proxy');
  expect(asked).toEqual([`${server.url}/v1/messages`]);
  expect(tunnels).toEqual([new URL(server.url).host]);
  proxy.closeAllConnections();
  await server.close();
  await new Promise((resolve) => proxy.close(resolve));
  const error = await call(model).catch((thrown: unknown) => thrown as Error);
  expect(error).toMatchObject({ code: 'MODEL_NETWORK' });
  expect((error as Error).message).not.toContain('hunter2');
});
