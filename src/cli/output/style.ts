/** How text may look on one stream: decided once, from the stream, the environment and `--color`. */
import { styleText } from 'node:util';
import type { OutputStream } from '../cli-io.ts';

export type Style = { readonly colour: boolean; readonly unicode: boolean };
export type Paint = 'red' | 'green' | 'yellow' | 'cyan' | 'gray' | 'bold' | 'dim';
export type ColourFlag = 'auto' | 'always' | 'never';

type Environment = Readonly<Record<string, string | undefined>>;

/** A terminal that a person looks at: not a pipe, not CI, not `TERM=dumb`. Only there may a cursor move. */
export function isLiveTerminal(stream: OutputStream, env: Environment): boolean {
  const ci = env.CI !== undefined && env.CI !== '' && env.CI !== 'false' && env.CI !== '0';
  return stream.isTTY === true && !ci && env.TERM !== 'dumb';
}

/** The flag wins, then `FORCE_COLOR`, then `NO_COLOR`, then what the stream is. */
export function decideStyle(stream: OutputStream, env: Environment, flag: ColourFlag | undefined): Style {
  return { colour: decideColour(stream, env, flag), unicode: decideUnicode(env) };
}

function decideColour(stream: OutputStream, env: Environment, flag: ColourFlag | undefined): boolean {
  if (flag === 'always') return true;
  if (flag === 'never') return false;
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== '') return false;
  return isLiveTerminal(stream, env);
}

/** By the POSIX order of locale variables; none of them set is the C locale. */
function decideUnicode(env: Environment): boolean {
  const locale = [env.LC_ALL, env.LC_CTYPE, env.LANG].find((value) => value !== undefined && value !== '');
  return /utf-?8/i.test(locale ?? '') || env.WT_SESSION !== undefined;
}

export function paintText(style: Style, paint: Paint, text: string): string {
  return style.colour && text !== '' ? styleText(paint, text, { validateStream: false }) : text;
}
