/** What the flags of a rerun mean, by the point that it begins from. */
import type { RerunPoint, SubagentEdit } from '../../contract/origin.ts';
import { toAbsoluteModel } from './absolute-model.ts';
import type { ChangeValues } from './to-changed-input.ts';

/** The flags that change the input, what is different for the one subagent, and what does not go with the point. */
export function toRerun(
  from: RerunPoint,
  values: ChangeValues,
  goal: string | undefined,
): { readonly values: ChangeValues; readonly edit: SubagentEdit | undefined; readonly problems: readonly string[] } {
  const { '--model': model, '--instructions': instructions } = values;
  if (from === 'plan') return { values, edit: undefined, problems: refuseGoal(goal, from) };
  const problems = (['--question', '--subtask'] as const)
    .filter((flag) => values[flag] !== undefined)
    .map((flag) => `${flag}: wanted --from plan with it, because it makes another plan, came --from ${from}`);
  if (from === 'synthesis') {
    const synthesis = values['--synthesis-model'] ?? model;
    return {
      values: { ...values, '--model': undefined, '--synthesis-model': synthesis },
      edit: undefined,
      problems: [...refuseGoal(goal, from), ...problems],
    };
  }
  const edit = {
    ...(goal !== undefined && { goal }),
    ...(model !== undefined && { model: toAbsoluteModel(model) }),
    ...(instructions !== undefined && { instructions }),
  };
  return {
    values: { ...values, '--model': undefined, '--instructions': undefined },
    edit: Object.keys(edit).length > 0 ? edit : undefined,
    problems,
  };
}

function refuseGoal(goal: string | undefined, from: RerunPoint): string[] {
  return goal === undefined
    ? []
    : [`--goal: wanted --from with a subagent such as s2, whose goal it is, came --from ${from}`];
}
