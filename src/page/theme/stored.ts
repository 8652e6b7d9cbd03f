/** Small choices of a person, kept by the browser where it lets us: in a private window it may not. */
export function readStored(name: string): string | null {
  try {
    return window.localStorage.getItem(name);
  } catch {
    return null;
  }
}

export function writeStored(name: string, value: string): void {
  try {
    window.localStorage.setItem(name, value);
  } catch {
    // It holds until the page is closed.
  }
}
