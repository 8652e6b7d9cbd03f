/** The same start as a command and as a program, to be copied. */
import type { StartInput } from '../../client/research-api.ts';
import { fields } from './fields.ts';
import { splitLines, toFieldValue, toInput, type FormValues } from './to-input.ts';

/** For a POSIX shell. */
function quote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

export function toCli(values: FormValues, defaultModel: string): string {
  const input = toInput(values, defaultModel);
  const flags: (string | null)[] = [
    ...(values.corpus === '' ? [] : [`--corpus ${quote(values.corpus)}`]),
    ...(values.model.trim() === '' ? [] : [`--model ${quote(values.model.trim())}`]),
    `--max-subagents ${String(input.maxSubagents)}`,
    ...(input.maxDepth === 1 ? [] : [`--max-depth ${String(input.maxDepth)}`]),
    ...(values.reviewsPlan ? ['--plan review'] : []),
    ...(values.ownSubtasks ? splitLines(values.subtasks).map((goal) => `--subtask ${quote(goal)}`) : []),
    ...fields.flatMap((field) => {
      const value = toFieldValue(field, values);
      if (value === undefined || value === false) return [];
      if (value === true) return [field.flag];
      const all: readonly unknown[] = Array.isArray(value) ? value : [value];
      return all.map((each) => `${field.flag} ${quote(String(each))}`);
    }),
  ];
  return [`tributary run ${quote(values.question.trim())}`, ...flags].join(' \\\n  ');
}

export function toTypeScript(input: StartInput): string {
  return [
    "import { Client, Connection } from '@temporalio/client';",
    "import { ResearchClient } from 'tributary-ai/client';",
    '',
    "const connection = await Connection.connect({ address: '127.0.0.1:7233' });",
    "const research = new ResearchClient({ client: new Client({ connection, namespace: 'tributary' }) });",
    `const run = await research.start(${JSON.stringify(input, null, 2)});`,
    'const result = await run.result();',
    '',
  ].join('\n');
}
