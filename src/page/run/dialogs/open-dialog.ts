/** Which dialog of a run is open. */
import type { ApprovalView } from '../../../contract/run-view.ts';

export type OpenDialog =
  | { readonly kind: 'finalize' }
  | { readonly kind: 'cancel' }
  | { readonly kind: 'cancel-subagent'; readonly subagentId: string }
  | { readonly kind: 'terminate' }
  | { readonly kind: 'budget'; readonly subagentId?: string }
  | { readonly kind: 'approval'; readonly approval: ApprovalView; readonly isDenial?: boolean }
  | { readonly kind: 'retry'; readonly from?: string };
