/** As much of the Temporal service as knows no workflow at all: what is left once every history is gone. */
import type { Client } from '@temporalio/client';

/** Of gRPC. */
const notFoundCode = 5;

export function clientWithoutHistories(): Client {
  const notFound = async () => {
    throw Object.assign(new Error('workflow not found'), { code: notFoundCode, details: '', metadata: {} });
  };
  const workflowService = {
    describeWorkflowExecution: notFound,
    getWorkflowExecutionHistory: notFound,
    deleteWorkflowExecution: notFound,
    listWorkflowExecutions: async () => ({ executions: [] }),
  };
  const client = {
    options: { namespace: 'tributary' },
    connection: {},
    workflowService,
    withDeadline: <T>(_: number, call: () => Promise<T>) => call(),
    withAbortSignal: <T>(_: AbortSignal, call: () => Promise<T>) => call(),
  };
  return client as unknown as Client;
}
