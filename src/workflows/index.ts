export { researchWorkflow } from './research.ts';
export { subagentWorkflow } from './subagent.ts';
