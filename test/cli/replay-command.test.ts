import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RecordedWorkflow, ReplayedHistory } from '../../src/contract/replay.ts';
import { TributaryError } from '../../src/contract/failure.ts';
import { callCli } from '../support/cli-harness.ts';
import { createFakeResearch } from '../support/fake-research-api.ts';

let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'tributary-replay-'))));
afterAll(() => rm(folder, { recursive: true, force: true }));

const started = (workflowId?: string) => ({
  eventId: '1',
  eventType: 'EVENT_TYPE_WORKFLOW_EXECUTION_STARTED',
  workflowExecutionStartedEventAttributes: { ...(workflowId && { workflowId }) },
});
const event = (id: number, type: string, attributes: string) => ({
  ...{ eventId: String(id), eventType: `EVENT_TYPE_${type}` },
  [attributes]: {},
});
async function file(name: string, content: unknown): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

/** A replay that answers `ok` but for the workflows that `diverge`, and notes what it was given. */
function replayer(...diverge: string[]) {
  const given: RecordedWorkflow[] = [];
  async function* replay(workflows: AsyncIterable<RecordedWorkflow>): AsyncGenerator<ReplayedHistory> {
    for await (const workflow of workflows) {
      given.push(workflow);
      const { workflowId } = workflow;
      for (const { events } of workflow.histories) {
        const replayed = { workflowId, runId: null, events: events.length };
        const divergence = {
          eventId: 6,
          eventType: 'ActivityTaskScheduled',
          kind: 'wants-other',
          message: 'words',
        } as const;
        if (!diverge.includes(workflowId)) yield { ...replayed, ok: true };
        else yield { ...replayed, ok: false, divergence: { ...divergence, recorded: 'activity a', wanted: 'a timer' } };
      }
    }
  }
  return { given, replay };
}

describe('replay of files', () => {
  test('opens no server, takes both forms of file, and ends 0 where the code follows all', async () => {
    const { given, replay } = replayer();
    const several = await file('several.json', {
      run_1: { events: [started()] },
      'run_1/s1': [{ events: [started()] }, { events: [started()] }],
    });
    const single = await file('single.json', { events: [started('run_2')] });
    const unnamed = await file('unnamed.json', { events: [started()] });
    const call = await callCli(['replay', several, single, unnamed], { installation: { replay } });
    expect([call.exitCode, call.counts.opened]).toEqual([0, 0]);
    expect(given.map(({ workflowId, histories }) => [workflowId, histories.length])).toEqual([
      ['run_1', 1],
      ['run_1/s1', 2],
      ['run_2', 1],
      ['unnamed', 1],
    ]);
    expect(call.stdout.lines).toEqual([
      expect.stringMatching(/ok +run_1 +1 events$/),
      expect.stringMatching(/ok +run_1\/s1 +1 events$/),
      expect.stringMatching(/ok +run_1\/s1 \(history 2\) +1 events$/),
      expect.stringMatching(/ok +run_2 +1 events$/),
      expect.stringMatching(/ok +unnamed +1 events$/),
      "today's code follows 5 histories",
    ]);
  });

  test('one that diverges is named with event and wish, the others are replayed, and the exit code is 1', async () => {
    const path = await file('diverging.json', { a: { events: [started()] }, b: { events: [started()] } });
    const text = await callCli(['replay', path], { installation: { replay: replayer('a').replay } });
    expect(text.exitCode).toBe(1);
    expect(text.stdout.lines).toEqual([
      expect.stringMatching(/diverges +a +1 events/),
      '  event 6 ActivityTaskScheduled (activity a): the code wanted a timer',
      expect.stringMatching(/ok +b/),
      "today's code does not follow 1 of 2 histories",
    ]);
    const json = await callCli(['replay', path, '--json'], { installation: { replay: replayer('a').replay } });
    expect(json.exitCode).toBe(1);
    expect(JSON.parse(json.stdout.text)).toMatchObject({
      type: 'replay',
      ok: false,
      workflows: [
        { workflowId: 'a', events: 1, ok: false, divergence: { eventId: 6, wanted: 'a timer' } },
        { workflowId: 'b', events: 1, ok: true },
      ],
    });
  });

  test.each([
    ['is not there', null, 'cannot be read'],
    ['is no JSON', '{"events"', 'it is not JSON'],
    ['is something else', '[]', 'came neither'],
    ['has no events', { a: { events: [] } }, 'a: the history has no events'],
    ['has holes', { events: [started(), event(3, 'TIMER_STARTED', 'timerStartedEventAttributes')] }, 'wanted event 2'],
    ['does not begin at its beginning', { events: [event(1, 'TIMER_STARTED', 'x')] }, 'is not an event'],
    [
      'has a workflow task without an end',
      {
        events: [
          started(),
          event(2, 'WORKFLOW_TASK_SCHEDULED', 'workflowTaskScheduledEventAttributes'),
          event(3, 'WORKFLOW_TASK_STARTED', 'workflowTaskStartedEventAttributes'),
          event(4, 'TIMER_STARTED', 'timerStartedEventAttributes'),
        ],
      },
      'wanted the end of a workflow task as event 4, came TimerStarted',
    ],
  ])('a file that %s is refused before anything is replayed', async (name, content, problem) => {
    const path = content === null ? join(folder, 'absent.json') : await file(`bad-${name.length}.json`, content);
    const good = await file('good.json', { events: [started('run_1')] });
    const { given, replay } = replayer();
    const call = await callCli(['replay', good, path], { installation: { replay } });
    expect(call.exitCode).toBe(2);
    expect(call.stderr.text).toContain(path);
    expect(call.stderr.text).toContain(problem);
    expect(given).toEqual([]);
  });
});

describe('replay of a run', () => {
  test('reads its histories, with no worker started', async () => {
    const { given, replay } = replayer();
    const research = createFakeResearch();
    const handle = await research.api.start({ question: 'q' });
    const call = await callCli(['replay', handle.runId], { research, installation: { replay } });
    expect(call.exitCode).toBe(0);
    expect(given.map(({ workflowId }) => workflowId)).toEqual([handle.runId]);
    expect(call.counts).toMatchObject({ opened: 1, closed: 1, workersStarted: 0 });
  });

  test('that is not there ends 9, and replays no file either', async () => {
    const { given, replay } = replayer();
    const research = createFakeResearch();
    research.api.attach = async () => {
      throw new TributaryError('RUN_NOT_FOUND', 'there is no run "run_x"');
    };
    const path = await file('other.json', { events: [started('run_1')] });
    const call = await callCli(['replay', path, 'run_x'], { research, installation: { replay } });
    expect([call.exitCode, given]).toEqual([9, []]);
  });

  test('a terminal shows how far it is, in one line that is gone at the end', async () => {
    const { replay } = replayer();
    const path = await file('tty.json', { events: [started('run_1')] });
    const call = await callCli(['replay', path], { installation: { replay }, stderr: { isTTY: true, columns: 80 } });
    expect(call.stderr.text).toBe('\r\u001b[2K1 histories replayed\r\u001b[2K');
    const piped = await callCli(['replay', path], { installation: { replay } });
    expect(piped.stderr.text).toBe('');
  });
});

test('export --histories writes the form that replay reads, once', async () => {
  const research = createFakeResearch();
  const { runId } = await research.api.start({ question: 'q' });
  const call = await callCli(['export', runId, '--histories', '--out', folder], { research });
  expect(call.exitCode).toBe(0);
  const path = join(folder, `${runId}.histories.json`);
  expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({ [runId]: { events: [] } });
  expect(call.stderr.text).toContain(`1 histories of ${runId} exported to ${path}`);
  expect((await callCli(['export', runId, '--histories', '--out', folder], { research })).exitCode).toBe(2);
  const piped = await callCli(['export', runId, '--histories', '--out', '-'], { research });
  expect(JSON.parse(piped.stdout.text)).toEqual({ [runId]: { events: [] } });
  const both = await callCli(['export', runId, '--histories', '--format', 'md'], { research });
  expect(both.exitCode).toBe(2);
});
