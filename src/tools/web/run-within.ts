/** Runs code that does not give way, and stops it when its time is over, also inside a regular expression. */
import { runInNewContext } from 'node:vm';

type Outcome<T> = { readonly kind: 'done'; readonly value: T } | { readonly kind: 'failed' };

/** `failed`: it took longer, or threw. No sandbox: the code is ours, it is its input that is not trusted. */
export function runWithin<T>(ms: number, work: () => T): Outcome<T> {
  try {
    return { kind: 'done', value: runInNewContext('work()', { work }, { timeout: ms }) as T };
  } catch {
    return { kind: 'failed' };
  }
}
