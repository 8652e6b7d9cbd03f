/** Puts a text on the clipboard, and says so. Where the browser does not let it, the text is shown to be copied by hand. */
import { useState } from 'react';
import { Icon } from './icon.tsx';

export function CopyButton({
  label,
  toText,
  tiny = false,
  bare = false,
}: {
  readonly label: string;
  readonly toText: () => string;
  readonly tiny?: boolean;
  /** Only the mark; the label is its name. */
  readonly bare?: boolean;
}) {
  const [state, setState] = useState<'idle' | 'copied' | { readonly text: string }>('idle');
  const copy = async () => {
    const text = toText();
    try {
      await navigator.clipboard.writeText(text);
      setState('copied');
      setTimeout(() => setState('idle'), 2_000);
    } catch {
      setState({ text });
    }
  };
  return (
    <>
      <button
        type="button"
        className={tiny || bare ? 'tiny' : undefined}
        {...(bare && { 'aria-label': label, title: label })}
        onClick={copy}
      >
        <Icon name={state === 'copied' ? 'check' : 'copy'} />
        {!bare && (state === 'copied' ? 'Copied' : label)}
        {bare && state === 'copied' && 'Copied'}
      </button>
      {typeof state === 'object' && (
        <textarea readOnly rows={4} aria-label={`${label}: text to copy`} value={state.text} />
      )}
    </>
  );
}
