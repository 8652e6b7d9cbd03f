/** What stands in the form as the input of a start, checked by the schema that the server checks it with. */
import type { StartInput } from '../../client/research-api.ts';
import { describeIssues } from '../../contract/invalid-input.ts';
import { researchRequestSchema } from '../../contract/request.ts';
import { depths, fields, type DepthName, type Field } from './fields.ts';
import { toNumberOrText } from './to-number.ts';

export type FormValues = {
  readonly question: string;
  readonly instructions: string;
  readonly depth: DepthName;
  readonly maxSubagents: string;
  readonly maxDepth: string;
  readonly reviewsPlan: boolean;
  readonly ownSubtasks: boolean;
  readonly subtasks: string;
  /** A name that the server offers; empty = none. */
  readonly corpus: string;
  readonly web: boolean;
  readonly model: string;
  /** Of `fields`, by name. */
  readonly more: Readonly<Record<string, string>>;
};

export const emptyForm: FormValues = {
  question: '',
  instructions: '',
  depth: 'quick',
  maxSubagents: '6',
  maxDepth: '1',
  reviewsPlan: true,
  ownSubtasks: false,
  subtasks: '',
  corpus: '',
  web: false,
  model: '',
  more: {},
};

export type FormProblem = { readonly field: string; readonly message: string };

const splitList = (text: string) =>
  text
    .split(/[,\n]/)
    .map((part) => part.trim())
    .filter((part) => part !== '');

export const splitLines = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** `undefined` where nothing is written: the default of the contract holds. */
export function toFieldValue(field: Field, values: FormValues): unknown {
  const text = (values.more[field.name] ?? '').trim();
  if (field.name === 'onExhausted' && text === '') return 'pause'; // somebody is there to raise it
  if (text === '') return undefined;
  switch (field.kind) {
    case 'number':
      return toNumberOrText(text);
    case 'list':
    case 'lines':
      return splitList(text);
    case 'switch':
      return text === 'on';
    default:
      return text;
  }
}

export function toInput(values: FormValues, defaultModel: string): StartInput {
  const input: Record<string, unknown> = { question: values.question };
  const put = ([first, second]: readonly string[], value: unknown) => {
    if (second === undefined) input[first!] = value;
    else input[first!] = { ...(input[first!] as object | undefined), [second]: value };
  };
  const model = values.model.trim() === '' ? defaultModel : values.model.trim();
  input['models'] = { planner: model, subagent: model, synthesis: model };
  for (const field of fields) {
    const value = toFieldValue(field, values);
    if (value !== undefined) put(field.path, value);
  }
  if (values.web && input['web'] === undefined) input['web'] = {};
  if (values.instructions.trim() !== '') input['instructions'] = values.instructions;
  const depth = values.depth === 'custom' ? null : depths[values.depth];
  input['maxSubagents'] = depth ? depth.maxSubagents : toNumberOrText(values.maxSubagents);
  input['maxDepth'] = depth ? depth.maxDepth : toNumberOrText(values.maxDepth);
  if (values.reviewsPlan) input['plan'] = 'review';
  if (values.ownSubtasks) input['subtasks'] = splitLines(values.subtasks).map((goal) => ({ goal }));
  if (values.corpus !== '') input['corpus'] = values.corpus;
  return input as unknown as StartInput;
}

/** By field, each with what was wanted and what came; none where the input is good. */
export function findProblems(input: StartInput): readonly FormProblem[] {
  // A corpus is a name here: the server alone knows its folder.
  const rest = { ...input, corpus: undefined };
  const parsed = researchRequestSchema.safeParse({ runId: 'unnamed', ...rest });
  if (parsed.success) return [];
  return describeIssues(parsed.error, rest).map((issue) => {
    const at = issue.indexOf(': ');
    return { field: toFieldName(issue.slice(0, at)), message: issue.slice(at + 2) };
  });
}

function toFieldName(path: string): string {
  const field = fields.find((each) => path === each.path.join('.') || path.startsWith(`${each.path.join('.')}.`));
  if (field) return field.name;
  return path.split('.')[0]!;
}
