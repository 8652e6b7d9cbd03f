/** Milliseconds since 1970 of an ISO 8601 time in UTC: the domain has no clock and no `Date`. */
const pattern = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?Z$/;
const dayMs = 86_400_000;

/** `null` for a text of another form. Digits past the millisecond are dropped. */
export function toEpochMs(iso: string): number | null {
  const match = pattern.exec(iso);
  if (!match) return null;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const ms = Number((match[7] ?? '').padEnd(3, '0').slice(0, 3));
  return daysSince1970(year, month, day) * dayMs + ((hour * 60 + minute) * 60 + second) * 1_000 + ms;
}

/** The time of these milliseconds, as `toEpochMs` reads it. */
export function toIsoTime(epochMs: number): string {
  const days = Math.floor(epochMs / dayMs);
  const { year, month, day } = dateOf(days);
  const inDay = epochMs - days * dayMs;
  const two = (value: number) => String(value).padStart(2, '0');
  const hours = two(Math.floor(inDay / 3_600_000));
  const minutes = two(Math.floor(inDay / 60_000) % 60);
  const seconds = two(Math.floor(inDay / 1_000) % 60);
  const ms = String(inDay % 1_000).padStart(3, '0');
  return `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}T${hours}:${minutes}:${seconds}.${ms}Z`;
}

/** Whole milliseconds from one time to another; 0 where either is missing or unreadable, and never negative. */
export function elapsedMs(fromIso: string | undefined, toIso: string | undefined): number {
  const from = fromIso === undefined ? null : toEpochMs(fromIso);
  const to = toIso === undefined ? null : toEpochMs(toIso);
  return from === null || to === null ? 0 : Math.max(0, to - from);
}

/** Howard Hinnant's `days_from_civil`: the year begins in March, so that the leap day is its last. */
function daysSince1970(year: number, month: number, day: number): number {
  const shifted = month <= 2 ? year - 1 : year;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

/** The inverse, `civil_from_days` of the same author. */
function dateOf(days: number): { readonly year: number; readonly month: number; readonly day: number } {
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1_460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const fromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9;
  const day = dayOfYear - Math.floor((153 * fromMarch + 2) / 5) + 1;
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day };
}
