/** What was read: the cited sources first, then the others. */
import { useState } from 'react';
import type { RunResult } from '../../../contract/result.ts';
import type { RunLog } from '../use-run-log.ts';
import { toDomain } from './safe-link.ts';
import { SourceList, toSourceRows } from './source-list.tsx';

export function SourcesTab({ result, log }: { readonly result: RunResult | null; readonly log: RunLog }) {
  const [text, setText] = useState('');
  const rows = toSourceRows(result, log.sources);
  const wanted = text.trim().toLowerCase();
  const shown = rows.filter(({ source: { title, url, by } }) =>
    [title, url, by].some((part) => part.toLowerCase().includes(wanted)),
  );
  const cited = shown.filter(({ citations }) => citations.length > 0);
  const others = shown.filter(({ citations }) => citations.length === 0);
  const domains = new Set(rows.map(({ source }) => toDomain(source.url))).size;
  return (
    <div className="stack narrow">
      <div className="line">
        <input
          type="search"
          className="fit wide-input"
          data-search
          aria-label="Filter sources"
          placeholder="Filter…"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <span className="muted number">
          {rows.length} sources from {domains} places{result && ` · ${cited.length} cited`}
        </span>
      </div>
      {rows.length === 0 && <p className="muted">No tool has read a source in this run{result ? '' : ' yet'}.</p>}
      {cited.length > 0 && <SourceList rows={cited} />}
      {others.length > 0 && (
        <details open={cited.length === 0}>
          <summary>
            {others.length} {result ? 'read but not cited' : 'read so far'}
          </summary>
          <SourceList rows={others} />
        </details>
      )}
    </div>
  );
}
