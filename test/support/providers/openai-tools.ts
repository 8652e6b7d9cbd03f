/** What both APIs of OpenAI ask of tools and of the choice between them. */
import type { Json } from './provider-api.ts';
import { checkStrict, checkUniqueNames, firstProblem, unknownKeys } from './rules.ts';

export const toolNamePattern = /^[a-zA-Z0-9_-]{1,64}$/;

/** `tools` are the functions themselves, `choice` names one of them or is a word. */
export function checkFunctions(tools: Json[] | undefined, choice: Json, chosenName: string | undefined): string | null {
  return firstProblem(
    (function* () {
      yield tools !== undefined && tools.length === 0 ? '[] is too short: tools' : null;
      for (const tool of tools ?? []) {
        const { name, parameters, strict } = tool;
        yield unknownKeys(tool, ['type', 'name', 'description', 'parameters', 'strict'], 'tools.');
        yield toolNamePattern.test(name) ? null : `tools.name: "${name}" does not match ${toolNamePattern.source}`;
        yield parameters?.type === 'object' ? null : `invalid schema for "${name}": type must be object`;
        yield ['oneOf', 'anyOf', 'allOf', 'enum', 'not'].some((key) => key in parameters)
          ? `invalid schema for "${name}": no oneOf, anyOf, allOf, enum or not at the top level`
          : null;
        yield strict === true ? checkStrict(parameters, `invalid schema for "${name}"`, true) : null;
      }
      yield checkUniqueNames((tools ?? []).map(({ name }) => name));
      if (choice === undefined) return;
      yield tools ? null : 'tool_choice: only allowed when tools are specified';
      yield ['auto', 'none', 'required'].includes(choice) || choice?.type === 'function'
        ? null
        : `tool_choice: "${choice}" is none of auto, none, required`;
      yield chosenName === undefined || tools?.some(({ name }) => name === chosenName)
        ? null
        : `tool_choice: the tool "${chosenName}" is not in tools`;
    })(),
  );
}
