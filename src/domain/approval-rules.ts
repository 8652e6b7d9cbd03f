/** Which calls of tools that ask first need no person, because the run allows them beforehand. */
import type { ApprovalRule } from '../contract/control.ts';
import { canonicalJson } from './canonical-json.ts';

/**
 * Whether one of `rules` allows the call: the same tool, and every argument that the rule names has the value that it
 * names. A rule without arguments allows every call of its tool.
 */
export function isAllowed(
  rules: readonly ApprovalRule[],
  call: { readonly tool: string; readonly args: Readonly<Record<string, unknown>> | null },
): boolean {
  return rules.some(({ tool, args }) => {
    if (tool !== call.tool) return false;
    if (args === undefined) return true;
    return Object.entries(args).every(
      ([key, value]) =>
        call.args !== null && Object.hasOwn(call.args, key) && canonicalJson(call.args[key]) === canonicalJson(value),
    );
  });
}
