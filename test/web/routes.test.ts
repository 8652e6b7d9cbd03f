import { describe, expect, test } from '@jest/globals';
import { description } from '../support/fake-research-api.ts';
import { corpusPath, openWeb } from './web-world.ts';

describe('a start is refused with 400, and no run is started', () => {
  test.each([
    '{"question":"q","budget":{"tokens":"lots"}}',
    '{"question":"q","budget":{"tokens":"99abc"}}',
    '{"question":"q","budget":{"tokens":""}}',
    '{"question":"q","budget":{"tokens":-5}}',
    '{"question":"q","budget":{"tokens":0}}',
    '{"question":"q","budget":{"tokens":1.5}}',
    '{"question":"q","budget":{"tokens":1e309}}',
    '{"question":"q","budget":{"tokens":NaN}}',
    '{"question":"q","budget":{"tokens":null}}',
    '{"question":"q","budget":{"tokens":{"a":1}}}',
    '{"question":"q","budget":{"usd":"0x10"}}',
    '{"question":"q","maxConcurrency":0}',
    '{"question":"q","maxConcurrency":2.9}',
    '{"question":"q","join":{"kind":"sometimes"}}',
    '{"question":"q","unknown":1}',
    '{"question":"q","origin":{}}',
    '{"question":""}',
    '{"question":null}',
    '{}',
    '',
    '[]',
    '"text"',
    '{"question"',
    '{"question":"q","corpus":"/etc"}',
    '{"question":"q","corpus":"../docs"}',
    '{"question":"q","corpus":"constructor"}',
    '{"question":"q","baseUrl":"http://10.0.0.1"}',
    '{"question":"q","onEvent":{"kind":"command","command":["sh"]}}',
    '{"question":"q","onEvent":{"kind":"webhook","url":"http://10.0.0.1"}}',
    '{"question":"q","models":{"planner":"scripted:/x.yaml","subagent":"extractive","synthesis":"extractive"}}',
  ])('%s', async (body) => {
    const web = openWeb();
    const answer = await web.ask('POST', '/api/runs', body);
    const problem = (await answer.json()) as { detail: string };
    expect({ status: answer.status, problem }).toMatchObject({ status: 400, problem: { code: 'INVALID_REQUEST' } });
    expect(problem.detail).toMatch(/wanted|unknown|not accepted/);
    expect(web.research.runs).toHaveLength(1);
    expect(web.errors).toEqual([]);
  });
});

test('a corpus is named, reaches the run as its path, and no answer shows the path', async () => {
  const web = openWeb();
  expect((await web.ask('POST', '/api/runs', { question: 'q', corpus: 'docs' })).status).toBe(201);
  expect(web.research.runs[1]!.input).toMatchObject({ corpus: corpusPath });
  web.research.place(description('run_9', { notes: [`read ${corpusPath}/a.md`] }));
  const shown = await (await web.ask('GET', '/api/runs/run_9')).text();
  expect(shown).toContain('read docs/a.md');
  expect(shown).not.toContain(corpusPath);
});

test.each([
  ['plan/approve', {}, 204, 'approvePlan'],
  ['plan/revise', { feedback: 'more' }, 204, 'revisePlan'],
  ['finalize', { reason: 'enough' }, 204, 'finalize'],
  ['terminate', { reason: 'stuck' }, 200, 'terminate'],
  ['budget', { add: { tokens: 5 } }, 200, 'addBudget'],
  ['retry', { reuse: 'none' }, 200, 'retry'],
  ['rerun', { from: 'synthesis' }, 200, 'rerun'],
  ['approvals/ap_1', { decision: 'approved' }, 200, 'approve'],
  ['approvals/ap_1', { decision: 'denied', reason: 'no' }, 200, 'deny'],
])('POST %s reaches the run once, with the idempotency key', async (path, body, status, action) => {
  const web = openWeb();
  const answer = await web.ask('POST', `/api/runs/run_1/${path}`, body, { 'idempotency-key': 'k1' });
  expect(answer.status).toBe(status);
  expect(web.run.steers).toMatchObject([{ action, ...(action !== 'terminate' && { requestId: 'k1' }) }]);
});

test.each([
  ['GET', '/api/runs/run_404', 404, 'RUN_NOT_FOUND'],
  ['GET', '/api/runs/..%2Fx', 400, 'INVALID_REQUEST'],
  ['GET', '/api/runs/a%20b', 400, 'INVALID_REQUEST'],
  ['GET', '/api/runs/run_1/subagents/s9', 404, 'SUBAGENT_NOT_FOUND'],
  ['GET', '/api/runs?limit=1.5', 400, 'INVALID_REQUEST'],
  ['GET', '/api/runs?nothing=1', 400, 'INVALID_REQUEST'],
  ['GET', '/api/nothing', 404, 'INVALID_REQUEST'],
])('%s %s is answered with %s', async (method, path, status, code) => {
  const answer = await openWeb().ask(method, path);
  expect({ status: answer.status, body: await answer.json() }).toMatchObject({ status, body: { code } });
});

test.each([
  ['/api/runs', '"runs":['],
  ['/api/runs/count', '"total":1'],
  ['/api/runs/run_1', '"runId":"run_1"'],
  ['/api/runs/run_1/subagents/s1', '"id":"s1"'],
  ['/api/runs/run_1/report.md', '# '],
  ['/api/runs/run_1/report.json', '"type": "export"'],
  ['/api/approvals', '"approvals":[]'],
  ['/api/config', '"corpora":["docs"]'],
  ['/api/health', '"hasWorker":true'],
  ['/api/openapi.json', '/api/runs/{runId}/approvals/{approvalId}'],
])('GET %s answers', async (path, text) => {
  const answer = await openWeb().ask('GET', path);
  expect(answer.status).toBe(200);
  expect(await answer.text()).toContain(text);
});

test('cancelling an ended run is a conflict', async () => {
  const web = openWeb();
  web.run.end('completed');
  expect((await web.ask('POST', '/api/runs/run_1/cancel', {})).status).toBe(409);
});

test('hostile text comes out as the JSON text that it is', async () => {
  const title = '"><svg onload=alert(1)><script>x</script>[x](javascript:1)';
  const web = openWeb();
  web.research.place(description('run_9', { title }));
  expect(await (await web.ask('GET', '/api/runs/run_9')).json()).toMatchObject({ title });
});
