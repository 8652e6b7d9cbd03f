/** What the run has used of what it may use, in every dimension, and the way to more. */
import { useConfig } from '../server/use-server.ts';
import type { RunDescription } from '../../contract/run-view.ts';
import { formatDuration, formatShort, formatUsd } from '../../domain/format.ts';
import { hasEnded } from '../../domain/projection/fold-run-event.ts';
import { Meter } from '../parts/meter.tsx';
import { ageOf } from '../parts/times.ts';

const atLimit = { pause: 'pause and ask', finalize: 'write the report', fail: 'fail' } as const;

export function BudgetPanel({
  run,
  nowMs,
  onRaise,
}: {
  readonly run: RunDescription;
  readonly nowMs: number;
  readonly onRaise: () => void;
}) {
  const config = useConfig();
  const { tokens, toolCalls, usd, wallClockMs } = run.budget;
  const isOver = hasEnded(run.status);
  const elapsedMs = ageOf(run.startedAt, run.closedAt === undefined ? nowMs : Date.parse(run.closedAt));
  const isEstimated = run.estimated || run.tree.some(({ usage }) => usage.estimated);
  const note = isEstimated ? '(in part an estimate)' : undefined;
  const request = run.request;
  const cost = run.tree.reduce((sum, view) => (view.parentId === null ? sum + (view.usage.usd ?? 0) : sum), 0);
  const spentUsd = Math.max(run.usage.usd ?? 0, run.spentUsd ?? 0, cost);
  return (
    <section className="card surface stack" aria-labelledby="budget-title">
      <h2 id="budget-title" className="hidden">
        Budget
      </h2>
      <div className="budget">
        {usd && <Meter label="Cost" {...usd} format={formatUsd} note={note} />}
        <Meter label="Tokens" {...tokens} format={formatShort} note={usd ? undefined : note} />
        <Meter label="Tool calls" {...toolCalls} format={String} />
        <Meter
          label="Time"
          spent={Math.min(elapsedMs, wallClockMs.limit)}
          reserved={0}
          limit={wallClockMs.limit}
          format={formatDuration}
        />
        <div className="budget-more">
          {!isOver && !config?.readOnly && run.status !== 'cancelling' && (
            <button type="button" onClick={onRaise}>
              Raise budget…
            </button>
          )}
          <span className="muted small">
            {!usd && spentUsd > 0 && `${isEstimated ? '≥ ' : ''}${formatUsd(spentUsd)} spent, no limit on cost · `}
            {run.usage.usd === null && 'cost not known: no price for this model · '}
            {request && `at the limit: ${atLimit[request.budget.onExhausted]}`}
            {request && ` · ${Math.round(request.budget.synthesisReserve * 100)}% kept for the report`}
          </span>
        </div>
      </div>
    </section>
  );
}
