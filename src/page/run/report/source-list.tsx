/** Sources as a list: cited ones under their numbers, with the words that bear them out. */
import type { RunResult } from '../../../contract/result.ts';
import { Icon } from '../../parts/icon.tsx';
import { linkRel, toDomain, toSafeUrl } from './safe-link.ts';
import type { FoundSource } from '../use-run-log.ts';

export type SourceRow = {
  readonly source: FoundSource;
  /** Of the report; empty where it is not cited. */
  readonly citations: RunResult['citations'];
};

export function toSourceRows(result: RunResult | null, found: readonly FoundSource[]): readonly SourceRow[] {
  if (!result) return found.map((source) => ({ source, citations: [] }));
  const cited = new Set(result.citations.map(({ sourceId }) => sourceId));
  const rows: SourceRow[] = [];
  for (const id of cited) {
    const source = result.sources.find((each) => each.id === id) ?? { id, url: id, title: id, by: '' };
    rows.push({ source, citations: result.citations.filter(({ sourceId }) => sourceId === id) });
  }
  for (const source of result.sources) if (!cited.has(source.id)) rows.push({ source, citations: [] });
  return rows;
}

export function SourceList({ rows }: { readonly rows: readonly SourceRow[] }) {
  return (
    <ul className="sources">
      {rows.map(({ source, citations }) => (
        <li key={source.id}>
          <span className="number muted">
            {citations.length === 0 ? '–' : citations.map(({ marker }) => marker).join(' ')}
          </span>
          <div>
            <SourceLink source={source} />
            <span className="small muted">
              {' '}
              {toDomain(source.url)}
              {source.by !== '' && ` · ${source.by}`}
            </span>
            {citations.map(({ marker, quote, verified }) => (
              <div key={marker} id={`source-${marker.slice(1, -1)}`} tabIndex={-1} className="quote">
                <blockquote>“{quote}”</blockquote>
                <span className={`status small tone-${verified ? 'ok' : 'warn'}`}>
                  <Icon name={verified ? 'check' : 'alert'} size={12} />
                  {marker} {verified ? 'stands in the source' : 'not found in the source'}
                </span>
              </div>
            ))}
          </div>
        </li>
      ))}
    </ul>
  );
}

function SourceLink({ source: { url, title } }: { readonly source: FoundSource }) {
  const safe = toSafeUrl(url);
  const words = title === '' ? url : title;
  return safe === null ? (
    <strong>{words}</strong>
  ) : (
    <a href={safe} target="_blank" rel={linkRel}>
      {words}
    </a>
  );
}
