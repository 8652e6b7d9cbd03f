/** Everything that happened, in its order: filtered by kind and by subagent, copied as JSON lines. */
import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef } from 'react';
import type { RunDescription, RunEvent } from '../../../contract/run-view.ts';
import { navigate, useLocation, withQuery } from '../../navigation/location.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { formatClock } from '../../parts/times.ts';
import type { RunLog } from '../use-run-log.ts';
import { toEventText } from './event-text.ts';

const rowPx = 28;
/** So many of them that the others would be hard to find. */
const quiet: readonly RunEvent['type'][] = ['budget-updated', 'subagent-live'];

export function EventsTab({ run, log }: { readonly run: RunDescription; readonly log: RunLog }) {
  const { query } = useLocation();
  const [type, by] = [query.get('type') ?? '', query.get('by') ?? ''];
  const scroller = useRef<HTMLDivElement>(null);
  const types = useMemo(() => [...new Set(log.events.map((event) => event.type))].sort(), [log.events]);
  const events = useMemo(
    () =>
      log.events.filter(
        (event) =>
          (type === '' ? !quiet.includes(event.type) : type === 'every' || event.type === type) &&
          (by === '' || (by === 'run' ? event.subagentId === undefined : event.subagentId === by)),
      ),
    [log.events, type, by],
  );
  const virtual = useVirtualizer({
    count: events.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPx,
    overscan: 10,
  });
  const set = (name: string) => (event: { target: { value: string } }) =>
    navigate(withQuery({ [name]: event.target.value }), { replace: true });
  return (
    <div className="stack">
      <div className="line">
        <select className="fit" aria-label="Kind of event" value={type} onChange={set('type')} data-search>
          <option value="">All but the meters</option>
          <option value="every">All</option>
          {types.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
        <select className="fit" aria-label="Of" value={by} onChange={set('by')}>
          <option value="">Run and subagents</option>
          <option value="run">Run alone</option>
          {run.tree.map(({ id }) => (
            <option key={id}>{id}</option>
          ))}
        </select>
        <span className="muted number">
          {events.length} of {log.events.length} events
        </span>
        <span className="grow" />
        <CopyButton label="Copy as JSON lines" toText={() => events.map((event) => JSON.stringify(event)).join('\n')} />
      </div>
      {!log.isOpen && <p className="muted">The events of this run could not be read.</p>}
      <div className="events" ref={scroller} role="region" aria-label="Events" tabIndex={0}>
        <ol style={{ '--rows': events.length }}>
          {virtual.getVirtualItems().map(({ index }) => {
            const event = events[index];
            return (
              event && (
                <li key={index} style={{ '--at': index }} aria-posinset={index + 1} aria-setsize={events.length}>
                  <span className="muted number" title={event.at}>
                    {formatClock(event.at)}
                  </span>
                  <span>{event.subagentId ?? 'run'}</span>
                  <span className={event.type === 'resync' ? 'tone-bad' : 'mono'}>{event.type}</span>
                  <span title={toEventText(event)}>{toEventText(event)}</span>
                </li>
              )
            );
          })}
        </ol>
      </div>
    </div>
  );
}
