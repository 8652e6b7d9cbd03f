/** A report as it is read: Markdown without raw HTML, without images, and with links to the web and to its sources alone. */
import { useMemo } from 'react';
import Markdown, { type Components } from 'react-markdown';
import type { RunResult } from '../../../contract/result.ts';
import { createCiteMarkers, sourcePrefix } from './cite-markers.ts';
import { linkRel, toDomain, toSafeUrl } from './safe-link.ts';

export function ReportText({ result }: { readonly result: RunResult }) {
  const plugins = useMemo(
    () => [createCiteMarkers(new Set(result.citations.map((citation) => citation.marker)))],
    [result],
  );
  const components = useMemo<Components>(
    () => ({
      a({ href = '', children }) {
        if (href.startsWith(sourcePrefix)) return <Cite result={result} number={href.slice(sourcePrefix.length)} />;
        const url = toSafeUrl(href);
        return url === null ? (
          <span>{children}</span>
        ) : (
          <a href={url} target="_blank" rel={linkRel}>
            {children}
          </a>
        );
      },
      img: ({ alt }) => <span>[image: {alt}]</span>,
      // The page has a heading of its own above the report.
      h1: ({ children }) => <h2 className="report-title">{children}</h2>,
      h2: ({ children }) => <h3>{children}</h3>,
      h3: ({ children }) => <h4>{children}</h4>,
    }),
    [result],
  );
  return (
    <div className="report">
      <Markdown
        remarkPlugins={plugins}
        components={components}
        urlTransform={(url) => (url.startsWith(sourcePrefix) ? url : (toSafeUrl(url) ?? ''))}
      >
        {result.report ?? ''}
      </Markdown>
    </div>
  );
}

function Cite({ result, number }: { readonly result: RunResult; readonly number: string }) {
  const citation = result.citations.find(({ marker }) => marker === `[${number}]`);
  const source = result.sources.find(({ id }) => id === citation?.sourceId);
  if (!citation) return <del>[{number}]</del>;
  const where = source ? toDomain(source.url) : citation.sourceId;
  return (
    <span className="cite">
      <a
        href={`${sourcePrefix}${number}`}
        aria-label={`Source ${number}, ${where}${citation.verified ? '' : ', quote not found'}`}
      >
        {number}
        {!citation.verified && '?'}
      </a>
      <span className="card" aria-hidden="true">
        <strong>{source?.title || where}</strong>
        <span className="muted">
          {where}
          {source && ` · ${source.by}`}
        </span>
        <span>“{citation.quote}”</span>
        {!citation.verified && <span className="tone-warn">The source does not hold this quote.</span>}
      </span>
    </span>
  );
}
