/** "Stop and write the report": no new work, what runs hands back what it has, and the report is written. */
import { setHandler } from '@temporalio/workflow';
import { finalizeInputSchema } from '../contract/control.ts';
import { TributaryError } from '../contract/failure.ts';
import { parseInput } from '../contract/invalid-input.ts';
import { finalizeSignal, finalizeUpdate } from '../temporal/names.ts';
import type { ApprovalDesk } from './approval-desk.ts';
import type { BudgetDesk } from './budget-desk.ts';
import type { RunState } from './run-state.ts';
import type { SubagentLinks } from './subagent-links.ts';
import { toValidator } from './to-validator.ts';

/** Asked for twice, the first one counts. Refused once the run is ending by itself. */
export function listenForFinalize(
  run: RunState,
  desks: { readonly links: SubagentLinks; readonly budget: BudgetDesk; readonly approvals: ApprovalDesk },
): void {
  const { links, budget, approvals } = desks;
  const validator = toValidator(
    (input) => parseInput(finalizeInputSchema, input, 'finalize'),
    () => {
      if (run.isClosing) throw new TributaryError('RUN_ENDED', `the run ${run.request.runId} is ending already`);
    },
  );
  setHandler(
    finalizeUpdate,
    (input) => {
      if (run.finalizing) return;
      run.finalizing = finalizeInputSchema.parse(input);
      const { by, reason } = run.finalizing;
      run.notes.push(`finalized by ${by}${reason ? `: ${reason}` : ''}`);
      for (const id of links.up()) {
        approvals.close(id);
        links.send(id, (handle) => handle.signal(finalizeSignal, { by, ...(reason !== undefined && { reason }) }));
      }
      budget.settleAsks();
      run.publish();
    },
    { validator },
  );
}
