/** Addresses that may become links: absolute http and https ones alone. Everything else stays text. */
export const linkRel = 'noopener noreferrer nofollow';

export function toSafeUrl(url: string): string | null {
  if (!/^https?:\/\//i.test(url)) return null;
  try {
    const { protocol, href } = new URL(url);
    return protocol === 'http:' || protocol === 'https:' ? href : null;
  } catch {
    return null;
  }
}

/** `example.org`, or the beginning of what is no address of the web. */
export function toDomain(url: string): string {
  const safe = toSafeUrl(url);
  return safe === null ? url : new URL(safe).hostname.replace(/^www\./, '');
}
