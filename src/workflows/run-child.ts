/** The only way a child is started: a cancel that meets a starting child would be lost otherwise (TEMPORAL 2). */
import {
  CancellationScope,
  ChildWorkflowCancellationType,
  condition,
  getExternalWorkflowHandle,
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
    /** The child goes on in another history than the one that it was started with. */
    hasContinued: () => boolean;
  },
): Promise<Output> {
  const { onStarted, hasContinued, ...childOptions } = options;
  const outer = CancellationScope.current();
  let isOver = false;
  /** The SDK's cancel reaches the history that the child was started with. Its word of a new one may come after the cancel. */
  const cancelContinued = async () => {
    await CancellationScope.nonCancellable(() => condition(() => isOver || hasContinued()));
    if (isOver) return;
    const cancel = () => getExternalWorkflowHandle(childOptions.workflowId!).cancel();
    await CancellationScope.nonCancellable(cancel).catch(() => undefined); // it has closed meanwhile
  };
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
      outer.cancelRequested.catch(() => {
        own.cancel();
        void cancelContinued();
      });
      return handle.result().finally(() => (isOver = true));
    });
  });
}
