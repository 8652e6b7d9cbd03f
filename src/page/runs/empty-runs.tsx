/** Nothing to show: why, and what to do about it. */
import { useHealth } from '../server/use-server.ts';
import { Link } from '../navigation/link.tsx';
import { CopyButton } from '../parts/copy-button.tsx';

const examples = [
  'How does Tributary cancel a fan-out?',
  'Compare EU battery recycling capacity 2026 by country: who is permitted, who is only announced?',
  'Which open-source vector databases changed their licence since 2023, and to what?',
];

export function EmptyRuns({ isFiltered }: { readonly isFiltered: boolean }) {
  const health = useHealth().data;
  if (isFiltered) {
    return (
      <div className="card stack">
        <p>No run matches this filter.</p>
        <p>
          <Link to="/">Show all runs</Link>
        </p>
      </div>
    );
  }
  return (
    <div className="card stack">
      <h2>No run yet</h2>
      <p>Start with one of these, or with a question of your own:</p>
      <ul>
        {examples.map((question) => (
          <li key={question}>
            <Link to={`/new?${new URLSearchParams({ question })}`}>{question}</Link>
          </li>
        ))}
      </ul>
      <p className="line">
        <span>
          From a terminal: <code>tributary run &quot;{examples[0]}&quot; --corpus docs</code>
        </span>
        <CopyButton tiny label="Copy" toText={() => `tributary run "${examples[0]}" --corpus docs`} />
      </p>
      {health?.hasWorker === false && (
        <p className="notice tone-edge-warn">
          No worker polls the task queue “{health.taskQueue}”. Start one: <code>tributary worker</code>
        </p>
      )}
    </div>
  );
}
