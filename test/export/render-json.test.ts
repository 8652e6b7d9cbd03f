import { expect, test } from '@jest/globals';
import type { RunEvent } from '../../src/contract/run-view.ts';
import { renderExport } from '../../src/export/render-export.ts';
import { result } from '../support/fake-research-api.ts';
import { toExport } from './hostile-run.ts';

const ended = result('run_1', 'completed', { notes: ['\u009b31m, \u001b[0m and "quotes"'] });
const at = { cursor: 'c1', at: '2026-11-30T12:00:00.000Z', runId: 'run_1' };
const events: RunEvent[] = [
  { ...at, type: 'run-status', status: 'running' },
  { ...at, type: 'result', status: 'completed', exitCode: 0, result: ended },
];
const run = toExport({ result: ended, events });

test('JSON is the whole export, and nothing in it moves a terminal', () => {
  const text = renderExport(run, 'json');
  expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(run)));
  expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/); // eslint-disable-line no-control-regex
});

test('lines are the events alone, the type of each in front', () => {
  const lines = renderExport(run, 'jsonl').split('\n');
  expect(lines.pop()).toBe('');
  expect(lines.map((line) => JSON.parse(line))).toEqual(JSON.parse(JSON.stringify(events)));
  expect(lines[0]).toMatch(/^\{"type":"run-status"/);
});
