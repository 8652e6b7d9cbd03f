/** The way from a run to its subagents. What is sent to one that is still starting waits until it is there. */
import { CancellationScope, getExternalWorkflowHandle, type ExternalWorkflowHandle } from '@temporalio/workflow';
import { toSubagentWorkflowId } from '../contract/ids.ts';

type Delivery = (handle: ExternalWorkflowHandle) => Promise<void>;

export class SubagentLinks {
  private readonly runId: string;
  /** `null` = it is up; a list = it is starting, and this is to be sent. */
  private readonly links = new Map<string, Delivery[] | null>();

  constructor(runId: string) {
    this.runId = runId;
  }

  /** It is about to be started. */
  prepare(id: string): void {
    this.links.set(id, []);
  }

  /** It is there. */
  connect(id: string): void {
    const waiting = this.links.get(id) ?? [];
    this.links.set(id, null);
    for (const delivery of waiting) this.send(id, delivery);
  }

  disconnect(id: string): void {
    this.links.delete(id);
  }

  /** Ids of those that are up or starting. */
  up(): readonly string[] {
    return [...this.links.keys()];
  }

  /** One that has ended meanwhile needs no word any more. Never rejects, and nothing waits for it. */
  send(id: string, delivery: Delivery): void {
    const waiting = this.links.get(id);
    if (waiting) {
      waiting.push(delivery);
      return;
    }
    const handle = getExternalWorkflowHandle(toSubagentWorkflowId(this.runId, id));
    void CancellationScope.nonCancellable(() => delivery(handle)).catch(() => undefined);
  }
}
