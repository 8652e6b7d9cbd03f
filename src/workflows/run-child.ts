/** The only way a child is started: a cancel that meets a starting child would be lost otherwise (TEMPORAL 2). */
import {
  CancellationScope,
  ChildWorkflowCancellationType,
  ParentClosePolicy,
  startChild,
  type ChildWorkflowOptions,
} from '@temporalio/workflow';

/** A child that waits for people ends by itself after this: it must not stay for ever if its run is gone. */
export const maxWaitsMs = 7 * 24 * 60 * 60_000;

type ChildFunction<Input, Output> = (input: Input) => Promise<Output>;

/** Starts shielded from the caller's cancellation, passes it on once the child exists, and waits until it has stopped. */
export async function runChild<Input, Output>(
  workflow: ChildFunction<Input, Output>,
  input: Input,
  options: Pick<ChildWorkflowOptions, 'workflowId' | 'workflowExecutionTimeout' | 'staticSummary'> & {
    /** The child is there and can be sent a signal. */
    onStarted?: () => void;
  },
): Promise<Output> {
  const { onStarted, ...childOptions } = options;
  const outer = CancellationScope.current();
  return CancellationScope.nonCancellable(async () => {
    const own = new CancellationScope(); // detached: a cancel cannot hit the start
    return own.run(async () => {
      const handle = await startChild(workflow as (...args: unknown[]) => Promise<Output>, {
        ...childOptions,
        args: [input],
        cancellationType: ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
        parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
      });
      onStarted?.();
      // Fires at once if the caller was cancelled while the child was starting.
      outer.cancelRequested.catch(() => own.cancel());
      return handle.result();
    });
  });
}
