import { describe, expect, test } from '@jest/globals';
import { createActivities } from '../../src/activities/create-activities.ts';
import { names } from '../../src/contract/defaults.ts';
import { toSubagentWorkflowId } from '../../src/contract/ids.ts';
import {
  personWaitSignal,
  subagentContinuedSignal,
  subagentStoppedSignal,
  workflowTypes,
} from '../../src/temporal/names.ts';
import * as workflows from '../../src/workflows/index.ts';

describe('names that running work depends on', () => {
  test('workflow types are the names of the functions', () => {
    expect(Object.keys(workflows).sort()).toEqual(['researchWorkflow', 'subagentWorkflow']);
    expect(workflowTypes).toEqual({ research: 'researchWorkflow', subagent: 'subagentWorkflow' });
    for (const [name, workflow] of Object.entries(workflows)) expect(workflow.name).toBe(name);
  });

  test('activity types are the names of the properties', () => {
    const activities = createActivities({
      store: {} as never,
      openModel: () => Promise.reject(new Error('not here')),
      openToolbox: () => Promise.reject(new Error('not here')),
      ratesOf: () => null,
      priceUsage: () => null,
      buckets: {} as never,
      trafficOf: () => ({ taskQueue: null, limit: null }),
      readStoppedUsage: () => Promise.reject(new Error('not here')),
      readLeftWork: () => Promise.reject(new Error('not here')),
      readEndedRun: () => Promise.reject(new Error('not here')),
      notices: { mayRun: async () => false, fetch },
    });
    expect(Object.keys(activities).sort()).toEqual([
      'adoptRunActivity',
      'callModelActivity',
      'callToolActivity',
      'loadResumeActivity',
      'notifyActivity',
      'openRunActivity',
      'planActivity',
      'readLeftWorkActivity',
      'settleStoppedActivity',
      'storeReportActivity',
      'synthesizeActivity',
    ]);
    for (const [name, activity] of Object.entries(activities)) expect(activity.name).toBe(name);
  });

  test('the signals of a subagent to whoever started it', () => {
    expect(subagentStoppedSignal.name).toBe('subagentStopped');
    expect(personWaitSignal.name).toBe('personWait');
    expect(subagentContinuedSignal.name).toBe('subagentContinued');
  });

  test('namespace, task queue and the id of a subagent', () => {
    expect(names).toEqual({ namespace: 'tributary', taskQueue: 'tributary' });
    expect(toSubagentWorkflowId('run-1', 's2.1')).toBe('run-1/s2.1');
  });
});
