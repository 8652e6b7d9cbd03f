/** Single keys. They do nothing in fields and behind a dialog, can be switched off, and only ever open what destroys. */
import { useEffect, useRef } from 'react';
import { readStored, writeStored } from '../theme/stored.ts';

const name = 'tributary.shortcuts';
/** How long `g` waits for its second key. */
const pairMs = 1_000;

/** What the page knows, for the list that `?` opens. */
export const shortcutList: readonly (readonly [keys: string, what: string])[] = [
  ['?', 'this list'],
  ['n', 'new run'],
  ['g r', 'runs'],
  ['g a', 'approvals'],
  ['/', 'search or filter'],
  ['j k ↓ ↑', 'next and previous row'],
  ['← →', 'close and open a row, parent and child'],
  ['Home End', 'first and last row'],
  ['Enter', 'open'],
  ['Esc', 'close'],
  ['1 2 3 4', 'tabs of a run'],
  ['.', 'follow the newest activity'],
  ['+ - 0', 'zoom the timeline, and fit it'],
  ['a', 'approval: review'],
  ['d', 'approval: deny, in the inbox'],
  ['b', 'raise the budget'],
  ['x', 'cancel the selected subagent'],
  ['Shift X', 'cancel the run'],
  ['r', 'retry'],
];

export function areShortcutsOn(): boolean {
  return readStored(name) !== 'off';
}

export function switchShortcuts(isOn: boolean): void {
  writeStored(name, isOn ? 'on' : 'off');
}

/** Handlers by key (`x`, `X`, `g r`). One that returns `false` leaves the key to the browser. */
export type KeyMap = Readonly<Record<string, () => unknown>>;

export function useShortcuts(keys: KeyMap): void {
  const current = useRef(keys);
  useEffect(() => {
    current.current = keys;
  });
  useEffect(() => {
    let pair: { readonly key: string; readonly atMs: number } | null = null;
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || !areShortcutsOn()) return;
      if (isTyping(event.target) || document.querySelector('dialog[open]')) return;
      const isPair = pair !== null && Date.now() - pair.atMs < pairMs;
      const key = isPair ? `${pair!.key} ${event.key}` : event.key;
      pair = event.key === 'g' && !isPair ? { key: 'g', atMs: Date.now() } : null;
      const handler = Object.hasOwn(current.current, key) ? current.current[key] : undefined;
      if (handler && handler() !== false) event.preventDefault();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]');
}
