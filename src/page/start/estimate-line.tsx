/** What the run may use, as far as that can be said; asked for while the form is filled in. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { StartInput } from '../../client/research-api.ts';
import type { Range } from '../../contract/estimate.ts';
import { formatDuration, formatPlural, formatShort, formatUsd } from '../../domain/format.ts';
import { useClient } from '../server/client-context.tsx';
import { toMessage } from '../parts/problem.tsx';

const quietMs = 400;

export function EstimateLine({ input, isGood }: { readonly input: StartInput; readonly isGood: boolean }) {
  const client = useClient();
  const text = JSON.stringify(input);
  const [asked, setAsked] = useState<string | null>(null);
  useEffect(() => {
    if (!isGood) return;
    const timer = setTimeout(() => setAsked(text), quietMs);
    return () => clearTimeout(timer);
  }, [text, isGood]);
  const estimate = useQuery({
    queryKey: ['estimate', asked],
    queryFn: () => client.estimate(JSON.parse(asked!) as StartInput),
    enabled: asked !== null,
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    retry: false,
  });
  const { data } = estimate;
  const show = ({ low, high }: Range, format: (value: number) => string) =>
    low === high ? format(low) : `${format(low)} – ${format(high)}`;
  return (
    <p className="number" aria-live="polite">
      <strong>Estimate</strong>{' '}
      {!isGood ? (
        <span className="muted">once the form is complete</span>
      ) : estimate.error ? (
        <span className="error">{toMessage(estimate.error)}</span>
      ) : !data ? (
        <span className="muted">being made…</span>
      ) : (
        [
          data.usd === null ? 'cost not known' : show(data.usd, formatUsd),
          `${show(data.subagents, String)} subagents`,
          `${show(data.tokens, formatShort)} tokens`,
          `${show(data.toolCalls, String)} tool calls`,
          ...(data.wallClockMs ? [show(data.wallClockMs, formatDuration)] : []),
          data.basis.kind === 'bounds'
            ? 'from what the limits allow'
            : `from ${formatPlural(data.basis.runs, 'past run')}`,
        ].join(' · ')
      )}
    </p>
  );
}
