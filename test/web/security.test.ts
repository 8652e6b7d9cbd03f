import { describe, expect, test } from '@jest/globals';
import { openWeb } from './web-world.ts';

const token = 'a-token-of-some-length';
const start = { question: 'Why?' };
const json = { 'content-type': 'application/json' };

describe('refused, and nothing is started or changed', () => {
  test.each([
    ['another host (DNS rebinding)', 'POST', '/api/runs', { ...json, host: 'evil.example' }, 403, 'NOT_ALLOWED'],
    ['another host, for the page', 'GET', '/', { host: 'evil.example:7450' }, 403, 'NOT_ALLOWED'],
    ['a page of another origin', 'POST', '/api/runs', { ...json, origin: 'https://evil.example' }, 403, 'NOT_ALLOWED'],
    ['a page of another port', 'POST', '/api/runs', { ...json, origin: 'http://localhost:3000' }, 403, 'NOT_ALLOWED'],
    ['a page without an origin', 'POST', '/api/runs', { ...json, origin: 'null' }, 403, 'NOT_ALLOWED'],
    ['a cross-site fetch', 'GET', '/api/runs', { 'sec-fetch-site': 'cross-site' }, 403, 'NOT_ALLOWED'],
    ['a same-site fetch', 'GET', '/api/runs', { 'sec-fetch-site': 'same-site' }, 403, 'NOT_ALLOWED'],
    [
      'events for another origin',
      'GET',
      '/api/runs/run_1/events',
      { origin: 'https://evil.example' },
      403,
      'NOT_ALLOWED',
    ],
    ['text/plain', 'POST', '/api/runs', { 'content-type': 'text/plain' }, 415, 'INVALID_REQUEST'],
    ['a form', 'POST', '/api/runs', { 'content-type': 'application/x-www-form-urlencoded' }, 415, 'INVALID_REQUEST'],
    ['another method', 'DELETE', '/api/runs/run_1', {}, 405, 'INVALID_REQUEST'],
    ['a preflight', 'OPTIONS', '/api/runs', { origin: 'http://localhost:7450' }, 405, 'INVALID_REQUEST'],
  ])('%s', async (_, method, path, headers: Record<string, string>, status, code) => {
    const web = openWeb();
    const answer = await web.ask(method, path, method === 'POST' ? start : undefined, headers);
    expect({ status: answer.status, body: await answer.json() }).toMatchObject({ status, body: { code, status } });
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    expect(web.research.runs).toHaveLength(1);
  });

  test('a body over 1 MB', async () => {
    const web = openWeb();
    const answer = await web.ask('POST', '/api/runs', { question: 'x'.repeat(1_100_000) });
    expect(answer.status).toBe(413);
    expect(web.research.runs).toHaveLength(1);
  });

  test.each([
    ['no token', {}],
    ['another token', { authorization: 'Bearer another-token-of-length' }],
    ['a part of the token', { authorization: `Bearer ${token.slice(0, -1)}` }],
  ])('%s', async (_, headers: Record<string, string>) => {
    const web = openWeb({ tokens: [{ label: 'alice', token }] });
    const answer = await web.ask('POST', '/api/runs', start, headers);
    expect({ status: answer.status, body: await answer.json() }).toMatchObject({
      status: 401,
      body: { code: 'NOT_SIGNED_IN' },
    });
    expect(web.research.runs).toHaveLength(1);
  });

  test.each(['', '/run_1/cancel', '/run_1/finalize', '/run_1/terminate', '/run_1/budget', '/run_1/approvals/ap_1'])(
    'every change of a read-only server: %s',
    async (path) => {
      const web = openWeb({ readOnly: true });
      const answer = await web.ask('POST', `/api/runs${path}`, {});
      expect(answer.status).toBe(403);
      expect(((await answer.json()) as { detail: string }).detail).toContain('read-only');
      expect(web.run.steers).toEqual([]);
      expect(web.run.cancels).toEqual([]);
    },
  );
});

test('whoever has the token acts under its label', async () => {
  const web = openWeb({ tokens: [{ label: 'alice', token }] });
  const answer = await web.ask('POST', '/api/runs', start, { authorization: `Bearer ${token}` });
  expect(answer.status).toBe(201);
  expect(web.who).toEqual(['alice']);
});

test('the own page may ask, and every answer carries the headers that keep it to itself', async () => {
  const web = openWeb();
  const own = { origin: 'http://localhost:7450', host: 'localhost:7450', 'sec-fetch-site': 'same-origin' };
  const answer = await web.ask('POST', '/api/runs', start, own);
  expect(answer.status).toBe(201);
  expect(answer.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
});
