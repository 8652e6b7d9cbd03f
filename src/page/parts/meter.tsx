/** One budgeted dimension: used, set aside, and what it may come to. */
import { useId } from 'react';

/** From this share on it is almost used up. */
const hotShare = 0.9;

export function Meter({
  label,
  spent,
  reserved,
  limit,
  format,
  note,
}: {
  readonly label: string;
  readonly spent: number;
  readonly reserved: number;
  readonly limit: number;
  readonly format: (value: number) => string;
  /** Behind the figures, such as that a part is an estimate. */
  readonly note?: string;
}) {
  const id = useId();
  const shareOf = (value: number) => (limit <= 0 ? 0 : Math.min(1, Math.max(0, value / limit)));
  const used = shareOf(spent);
  const isHot = used >= hotShare;
  const aside = reserved > 0 ? `, ${format(reserved)} set aside` : '';
  return (
    <div>
      <span id={id}>{label}</span> <strong className="number">{format(spent)}</strong>
      {reserved > 0 && <span className="muted number"> + {format(reserved)} reserved</span>} of{' '}
      <strong className="number">{format(limit)}</strong>
      {isHot && <span className="tone-bad number"> {Math.round(used * 100)}%</span>}
      {note && <span className="muted"> {note}</span>}
      <div
        className="track"
        role="meter"
        aria-labelledby={id}
        aria-valuemin={0}
        aria-valuemax={limit}
        aria-valuenow={Math.min(spent, limit)}
        aria-valuetext={`${format(spent)} of ${format(limit)} used${aside}${isHot ? ', almost used up' : ''}`}
      >
        <i className={isHot ? 'hot' : undefined} style={{ '--share': used }} />
        <i className="reserved" style={{ '--from': used, '--share': Math.min(1 - used, shareOf(reserved)) }} />
      </div>
    </div>
  );
}
