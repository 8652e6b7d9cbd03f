/** Asks the planner for subtasks and checks what it answers. A reply that is no plan is paid for and said to be so. */
import type { PlanStep, PlanStepResult } from '../contract/steps.ts';
import type { ModelReply } from '../contract/model.ts';
import { readPlan } from '../domain/plan.ts';
import { runCancellable } from './cancellable.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { ModelAttempts } from './model-attempts.ts';
import { planMessages } from './prompts.ts';

/** Documents that a planner is told of. */
const outlineLength = 24;

export function createPlanActivity(dependencies: ActivityDependencies) {
  return async function planActivity(step: PlanStep): Promise<PlanStepResult> {
    let attempts: ModelAttempts | undefined;
    return runCancellable(
      async (frame) => {
        attempts = new ModelAttempts(
          frame,
          step,
          (usage) => dependencies.priceUsage(step, usage),
          dependencies.buckets,
        );
        const model = await dependencies.openModel(step);
        const toolbox = await dependencies.openToolbox({ corpus: step.corpus, web: step.web });
        const outline = toolbox.outline(step.question, outlineLength);
        const tools = toolbox.tools
          .map(({ description }) => description)
          .filter(({ name }) => step.offeredTools?.includes(name) ?? true);
        const fitted = await attempts.fit(model, {
          task: {
            kind: 'plan',
            question: step.question,
            maxSubagents: step.maxSubagents,
            outline,
            attempt: step.attempt,
          },
          messages: planMessages({ ...step, outline, tools }),
          tools: [],
          toolChoice: 'none',
          parallelToolCalls: true,
          maxOutputTokens: step.maxOutputTokens,
        });
        if (fitted.kind === 'does-not-fit') return { ...fitted, usage: attempts.usage() };
        const reply = await attempts.request(model, fitted.request, fitted.requestTokens);
        const usage = attempts.usage();
        const stopped = describeStop(reply);
        if (stopped !== null) return { kind: 'again', problem: stopped, usage };
        const read = readPlan(reply.text, step.maxSubagents);
        return read.kind === 'plan'
          ? { kind: 'plan', plan: read.plan, usage }
          : { kind: 'again', problem: read.problem, usage };
      },
      () => attempts?.detailsOnEnd() ?? [],
    );
  };
}

/** A refusal or half of an answer is no plan, whatever JSON stands in it (CASES B16). */
function describeStop(reply: ModelReply): string | null {
  if (reply.finish === 'stop') return null;
  return `the answer ended with "${reply.rawFinish ?? reply.finish}"`;
}
