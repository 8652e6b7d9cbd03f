import { expect, test } from '@jest/globals';
import { readDivergence, toEventName } from '../../src/domain/read-divergence.ts';

const words = (text: string) => `[TMPRL1100] Nondeterminism error: ${text}`;

// Each as Temporal wrote it for a changed history or for changed code.
test.each([
  [
    "Activity type of scheduled event 'openRunActivity' does not match activity type of activity command 'planActivity'",
    null,
    'activity planActivity',
  ],
  [
    "Activity id of scheduled event '?' does not match activity id of activity command '1'",
    null,
    'activity with the activity id 1',
  ],
  [
    "Child workflow id of scheduled event 'r/s9' does not match child workflow id of command 'r/s2'",
    null,
    'child workflow r/s2',
  ],
  [
    "Child workflow type of scheduled event 'otherWorkflow' does not match child workflow type of command 'subagentWorkflow'",
    null,
    'child workflow of type subagentWorkflow',
  ],
  ['Activity machine does not handle this event: HistoryEvent(id: 5, TimerStarted)', 5, 'an activity'],
  ['Timer machine does not handle this event: HistoryEvent(id: 19, ActivityTaskScheduled)', 19, 'a timer'],
  [
    'ModifyWorkflowPropertiesMachine does not handle HistoryEvent(id: 12, ActivityTaskScheduled)',
    12,
    'to change the memo',
  ],
  [
    'Complete workflow machine does not handle this event: HistoryEvent(id: 19, StartChildWorkflowExecutionInitiated)',
    19,
    'to complete the workflow',
  ],
  ['Brand new machine does not handle this event: HistoryEvent(id: 7, TimerStarted)', 7, 'a command of "Brand new"'],
  ['No command scheduled for event HistoryEvent(id: 44, ActivityTaskScheduled)', 44, 'nothing'],
])('the words "%s" name the event, where they do, and what the code wanted', (text, eventId, wanted) => {
  expect(readDivergence(words(text))).toEqual({ eventId, wanted });
});

test('words that nobody knows are no parts: they are shown whole', () => {
  expect(readDivergence(words('Everything is different now'))).toEqual({ eventId: null, wanted: null });
  expect(readDivergence('')).toEqual({ eventId: null, wanted: null });
});

test('events have one name, whatever tool wrote them', () => {
  expect(toEventName('EVENT_TYPE_ACTIVITY_TASK_SCHEDULED')).toBe('ActivityTaskScheduled');
  expect(toEventName('ActivityTaskScheduled')).toBe('ActivityTaskScheduled');
});
