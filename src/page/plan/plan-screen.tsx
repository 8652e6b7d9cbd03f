/** A plan that waits for a person: read it, change it, have another one written, or begin. */
import { useMemo, useState } from 'react';
import { failureCodeOf } from '../../contract/failure.ts';
import { maxGoalChars } from '../../contract/plan.ts';
import type { RunDescription } from '../../contract/run-view.ts';
import { formatDuration, formatPlural, formatShort } from '../../domain/format.ts';
import { useClient, type PageRunHandle } from '../server/client-context.tsx';
import { useAction } from '../server/use-action.ts';
import { useConfig } from '../server/use-server.ts';
import { Announcer } from '../live/announcer.tsx';
import { useReportConnection } from '../live/connection.ts';
import { Link } from '../navigation/link.tsx';
import { navigate } from '../navigation/location.ts';
import { toRunPath } from '../navigation/route.ts';
import { Problem } from '../parts/problem.tsx';
import { StatusBadge } from '../parts/status-badge.tsx';
import { useTitle } from '../parts/use-title.ts';
import RunDialogs from '../run/dialogs/run-dialogs.tsx';
import type { OpenDialog } from '../run/dialogs/open-dialog.ts';
import { useRun } from '../run/use-run.ts';
import { PlanList } from './plan-list.tsx';
import { toDraft, toPlanEdits, type DraftItem } from './plan-draft.ts';

export default function PlanScreen({ runId }: { readonly runId: string }) {
  const client = useClient();
  const handle = useMemo(() => client.getHandle(runId), [client, runId]);
  const state = useRun(handle);
  const { run } = state;
  useReportConnection(state.connection);
  useTitle(run ? `Plan · ${run.title}` : 'Plan');
  if (!run) {
    return (
      <div className="stack">
        <h1>Plan of {runId}</h1>
        {state.error ? (
          <Problem error={state.error} onRetry={state.again} />
        ) : (
          <p className="muted">Reading the run…</p>
        )}
      </div>
    );
  }
  return (
    <div className="stack narrow center">
      <div className="line">
        <h1>Plan · {run.title}</h1>
        <StatusBadge status={run.status} />
        <Link to={toRunPath(runId)}>Open the run</Link>
      </div>
      {run.status === 'awaiting-plan' ? (
        // Another plan is another draft.
        <PlanEditor key={run.tree.map(({ id, goal }) => `${id} ${goal}`).join('\n')} run={run} handle={handle} />
      ) : (
        <Decided run={run} />
      )}
      <Announcer polite={state.polite} urgent={state.urgent} />
    </div>
  );
}

function Decided({ run }: { readonly run: RunDescription }) {
  const isComing = run.status === 'queued' || run.status === 'planning';
  return (
    <div className="card stack">
      <p>{isComing ? 'The plan is being written.' : 'The plan of this run is decided.'}</p>
      <ol>
        {run.tree
          .filter(({ parentId }) => parentId === null)
          .map(({ id, goal }) => (
            <li key={id}>{goal}</li>
          ))}
      </ol>
    </div>
  );
}

function PlanEditor({ run, handle }: { readonly run: RunDescription; readonly handle: PageRunHandle }) {
  const proposed = run.tree.filter(({ parentId }) => parentId === null);
  const [draft, setDraft] = useState<readonly DraftItem[]>(() => toDraft(proposed));
  const [feedback, setFeedback] = useState('');
  const [open, setOpen] = useState<OpenDialog | null>(null);
  const action = useAction();
  const config = useConfig();
  const edits = toPlanEdits(proposed, draft);
  const count = draft.filter(({ goal }) => goal.trim() !== '').length;
  const most = run.request?.maxSubagents;
  const problem =
    count === 0
      ? 'A plan needs at least one subtask.'
      : most !== undefined && count > most
        ? `This run takes at most ${formatPlural(most, 'subtask')}; the plan has ${count}.`
        : null;
  const reserve = run.request ? run.budget.tokens.limit * run.request.budget.synthesisReserve : 0;
  const share = count === 0 ? 0 : Math.floor((run.budget.tokens.remaining - reserve) / count);
  const canAct = config?.readOnly !== true;
  const approve = async () => {
    if (await action.run((requestId) => handle.approvePlan({ edits, requestId }))) navigate(toRunPath(run.runId));
  };
  const revise = () =>
    action.run(async (requestId) => {
      await handle.revisePlan(feedback.trim(), { requestId });
      setFeedback('');
    });
  return (
    <>
      <p className="muted number">
        Spent so far {formatShort(run.budget.tokens.spent)} tokens · {formatPlural(count, 'subtask')} share{' '}
        {formatShort(run.budget.tokens.remaining)} tokens, {formatShort(reserve)} of them kept for the report
        {run.request && ` · waits for you for ${formatDuration(run.request.personTimeout)} at most`}
      </p>
      <PlanList draft={draft} maxChars={maxGoalChars} shareTokens={share} onChange={setDraft} isReadOnly={!canAct} />
      {problem !== null && (
        <p className="error" role="alert">
          {problem}
        </p>
      )}
      <Problem error={action.error} />
      {failureCodeOf(action.error) === 'ALREADY_DECIDED' && <Link to={toRunPath(run.runId)}>Open the run</Link>}
      {canAct && (
        <>
          <div className="line">
            <button type="button" className="primary" disabled={problem !== null || action.isPending} onClick={approve}>
              {action.isPending
                ? 'Requesting…'
                : edits.length === 0
                  ? 'Approve and start'
                  : `Approve with ${formatPlural(edits.length, 'change')} and start`}
            </button>
            <button type="button" onClick={() => setDraft(toDraft(proposed))} disabled={edits.length === 0}>
              Undo changes
            </button>
            <span className="grow" />
            <button type="button" className="danger" onClick={() => setOpen({ kind: 'cancel' })}>
              Cancel run…
            </button>
          </div>
          <details className="card">
            <summary>Ask for another plan</summary>
            <div className="stack">
              <div className="field">
                <label htmlFor="feedback">What should be different</label>
                <textarea
                  id="feedback"
                  rows={3}
                  maxLength={4_000}
                  value={feedback}
                  onChange={(event) => setFeedback(event.target.value)}
                />
              </div>
              <div>
                <button type="button" disabled={feedback.trim() === '' || action.isPending} onClick={revise}>
                  Ask for changes
                </button>
              </div>
            </div>
          </details>
        </>
      )}
      {open && <RunDialogs open={open} onOpen={setOpen} run={run} handle={handle} />}
    </>
  );
}
