/** The open dialog of a run. */
import type { RunDescription } from '../../../contract/run-view.ts';
import type { PageRunHandle } from '../../server/client-context.tsx';
import { ApprovalDialog } from './approval-dialog.tsx';
import { BudgetDialog } from './budget-dialog.tsx';
import type { OpenDialog } from './open-dialog.ts';
import { RetryDialog } from './retry-dialog.tsx';
import { CancelRunDialog, CancelSubagentDialog, FinalizeDialog, TerminateDialog } from './stop-dialogs.tsx';

export default function RunDialogs({
  open,
  onOpen,
  run,
  handle,
}: {
  readonly open: OpenDialog;
  readonly onOpen: (dialog: OpenDialog | null) => void;
  readonly run: RunDescription;
  readonly handle: PageRunHandle;
}) {
  const props = { run, handle, onClose: () => onOpen(null) };
  switch (open.kind) {
    case 'finalize':
      return <FinalizeDialog {...props} />;
    case 'cancel':
      return <CancelRunDialog {...props} onFinalize={() => onOpen({ kind: 'finalize' })} />;
    case 'cancel-subagent':
      return <CancelSubagentDialog {...props} subagentId={open.subagentId} />;
    case 'terminate':
      return <TerminateDialog {...props} />;
    case 'budget':
      return <BudgetDialog {...props} subagentId={open.subagentId} />;
    case 'approval':
      return <ApprovalDialog {...props} approval={open.approval} isDenial={open.isDenial} />;
    case 'retry':
      return <RetryDialog {...props} from={open.from} />;
    default:
      return open satisfies never;
  }
}
