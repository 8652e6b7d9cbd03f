/** The words that travel on the wire. A test pins them: running work depends on each. */
import { defineSignal } from '@temporalio/workflow';
import type { StoppedUsage } from '../contract/stopped-usage.ts';

export const workflowTypes = { research: 'researchWorkflow', subagent: 'subagentWorkflow' } as const;

/** From a cancelled subagent to its run, before it closes: a cancelled child returns nothing. */
export const subagentStoppedSignal = defineSignal<[StoppedUsage]>('subagentStopped');
