import { expect, test } from '@jest/globals';
import { answers, endsOf, scriptedModel, subtasks, type RecordedModel } from '../support/scripts.ts';
import { useWorld } from '../support/temporal.ts';

const { start } = useWorld('model attempts');
const quick = { retryAfter: '20ms' };
const server = { fail: { code: 'MODEL_SERVER', message: 'overworked', ...quick } };
const requestsOf = (model: RecordedModel, place: string) =>
  model.requests.filter((each) => each.place.startsWith(place)).length;

test('B46 · N attempts are N requests, for each of ten subagents; what cannot be helped by a repeat is asked once', async () => {
  const model = scriptedModel({ subagents: { '*': [server] } });
  const refused = scriptedModel({ subagents: { '*': [{ fail: { code: 'MODEL_AUTH', message: 'no such key' } }] } });
  const request = { question: 'Q', modelAttempts: 3 };
  const [failed, denied] = await Promise.all([
    start({ ...request, subtasks: subtasks(10) }, { model }),
    start({ ...request, subtasks: subtasks(1) }, { model: refused }),
  ]);
  const result = await failed.result();
  expect(model.requests).toHaveLength(30);
  expect(new Set(result.subagents.map(({ status, reason, message }) => `${status} ${reason} ${message}`))).toEqual(
    new Set(['failed provider overworked']),
  );
  expect(result.usage.tokens).toBe(0); // answered with an error: nothing was charged
  await denied.result();
  expect(refused.requests).toHaveLength(1);
});

test('one that fails twice and then answers is done, after three requests', async () => {
  const model = scriptedModel({
    subagents: { s1: [{ ...server, fail: { ...server.fail, times: 2 }, report: { summary: 'at last' } }] },
  });
  const result = await (await start({ question: 'Q', subtasks: subtasks(1) }, { model })).result();
  expect(endsOf(result)).toEqual(['s1 done']);
  expect(requestsOf(model, 's1')).toBe(3);
  expect(result.usage.estimated).toBe(false);
});

test('the reason of a failure that outlived its attempts tells what kind it was', async () => {
  const fails = (code: string) => [{ fail: { code, ...quick } }];
  const model = scriptedModel({
    subagents: {
      s1: fails('MODEL_RATE_LIMIT'),
      s2: fails('MODEL_QUOTA'),
      s3: fails('MODEL_CONTEXT'),
      s4: fails('MODEL_OVERLOADED'),
    },
  });
  const result = await (await start({ question: 'Q', subtasks: subtasks(4), modelAttempts: 2 }, { model })).result();
  expect(endsOf(result)).toEqual([
    's1 failed (rate-limit)',
    's2 failed (quota)',
    's3 failed (context-exceeded)',
    's4 failed (provider)',
  ]);
  expect([1, 2, 3, 4].map((id) => requestsOf(model, `s${id}`))).toEqual([2, 1, 1, 2]);
});

test('a request whose cost is not known is charged at its reservation, and marked', async () => {
  const model = scriptedModel({
    subagents: {
      s1: [{ report: { summary: 'found' }, usage: 'none' }],
      s2: [{ fail: { code: 'MODEL_NETWORK', ...quick, times: 1 }, report: { summary: 'found' } }],
      s3: answers('found'),
    },
  });
  const result = await (await start({ question: 'Q', subtasks: subtasks(3) }, { model })).result();
  expect(result.status).toBe('completed');
  const [unstated, lost, stated] = result.subagents.map(({ usage }) => usage);
  expect(stated!.estimated).toBe(false);
  for (const usage of [unstated!, lost!]) {
    expect(usage).toMatchObject({ estimated: true, usd: 0 });
    expect(usage.tokens).toBeGreaterThan(4_096); // all of its input, and all that it might have answered
  }
  expect(lost!.tokens).toBeGreaterThan(unstated!.tokens); // the one that was answered is paid as well
  expect(requestsOf(model, 's2')).toBe(2);
});

test('a wait that the provider asks for is not cut short', async () => {
  const at: number[] = [];
  const limited = { fail: { code: 'MODEL_RATE_LIMIT', retryAfter: '2500ms', times: 1 }, report: { summary: 'found' } };
  const model = scriptedModel(
    { subagents: { s1: [limited] } },
    (place) => void (place.startsWith('s1') && at.push(Date.now())),
  );
  const result = await (await start({ question: 'Q', subtasks: subtasks(1) }, { model })).result();
  expect(endsOf(result)).toEqual(['s1 done']);
  expect(at[1]! - at[0]!).toBeGreaterThanOrEqual(2_500); // without it: one second
});
