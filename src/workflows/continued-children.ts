/**
 * Children whose history grew long and that go on in a new one. The SDK's cancel of a child names its first execution, which
 * has closed by then: the server accepts it, and nothing happens. These are cancelled by their workflow id.
 */
import { setHandler } from '@temporalio/workflow';
import { continuedSchema } from '../contract/carry.ts';
import { subagentContinuedSignal } from '../temporal/names.ts';
import { onSound } from './on-sound.ts';

export class ContinuedChildren {
  private readonly ids = new Set<string>();

  constructor() {
    setHandler(subagentContinuedSignal, (continued) =>
      onSound(continuedSchema, continued, ({ id }) => this.ids.add(id)),
    );
  }

  /** It is started once more. */
  forget(id: string): void {
    this.ids.delete(id);
  }

  /** Its word comes before its first history closes. */
  has(id: string): boolean {
    return this.ids.has(id);
  }
}
