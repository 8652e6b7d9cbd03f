/** Light, dark, or as the system is. The choice is kept; the style sheet reads it from the root element. */
import { readStored, writeStored } from './stored.ts';

export const themes = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const name = 'tributary.theme';
const dark = window.matchMedia('(prefers-color-scheme: dark)');

export function readTheme(): Theme {
  const stored = readStored(name);
  return themes.find((theme) => theme === stored) ?? 'auto';
}

export function applyTheme(theme: Theme): void {
  writeStored(name, theme);
  show(theme);
}

function show(theme: Theme): void {
  document.documentElement.dataset['theme'] = theme === 'auto' ? (dark.matches ? 'dark' : 'light') : theme;
}

/** Shows the kept choice now, and follows the system from here on. */
export function startTheme(): void {
  show(readTheme());
  dark.addEventListener('change', () => show(readTheme()));
}
