/** Which addresses may become links: absolute http(s) ones that say where they lead. */

const maxUrlChars = 4_000;

/** The address in its normal form; `null` for other schemes, relative ones, and those with a user name before the host. */
export function toWebUrl(text: string): string | null {
  const trimmed = text.trim();
  if (trimmed.length > maxUrlChars || !/^https?:\/\//i.test(trimmed)) return null;
  try {
    const url = new URL(trimmed);
    const isPlain = url.username === '' && url.password === '' && url.hostname !== '';
    return isPlain && /^https?:$/.test(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
}

export function hostOf(webUrl: string): string {
  return new URL(webUrl).host;
}
