/** The token of this tab: out of the fragment of the address, which no server sees, or typed in. */
const name = 'tributary.token';

export function keepToken(token: string): void {
  window.sessionStorage.setItem(name, token);
}

/** Takes it out of the address at once. */
export function readToken(): string | undefined {
  const match = /^#token=(.+)$/.exec(window.location.hash);
  if (match) {
    keepToken(decodeURIComponent(match[1]!));
    window.history.replaceState(null, '', window.location.pathname + window.location.search);
  }
  return window.sessionStorage.getItem(name) ?? undefined;
}
