/** Tabs as the authoring practices have them: one stop of the tab key, arrows between them. */
import type { KeyboardEvent, ReactNode } from 'react';

export type Tab<Name extends string> = { readonly name: Name; readonly label: ReactNode };

export function Tabs<Name extends string>({
  tabs,
  selected,
  label,
  onSelect,
}: {
  readonly tabs: readonly Tab<Name>[];
  readonly selected: Name;
  readonly label: string;
  readonly onSelect: (name: Name) => void;
}) {
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const at = tabs.findIndex(({ name }) => name === selected);
    const steps: Readonly<Record<string, number>> = {
      ArrowRight: (at + 1) % tabs.length,
      ArrowLeft: (at - 1 + tabs.length) % tabs.length,
      Home: 0,
      End: tabs.length - 1,
    };
    const next = Object.hasOwn(steps, event.key) ? tabs[steps[event.key]!] : undefined;
    if (!next) return;
    event.preventDefault();
    onSelect(next.name);
    event.currentTarget.querySelector<HTMLElement>(`#tab-${next.name}`)?.focus();
  };
  return (
    <div className="tabs no-print" role="tablist" aria-label={label} onKeyDown={onKeyDown}>
      {tabs.map(({ name, label: words }) => (
        <button
          key={name}
          type="button"
          role="tab"
          id={`tab-${name}`}
          aria-selected={name === selected}
          aria-controls="tab-panel"
          tabIndex={name === selected ? 0 : -1}
          onClick={() => onSelect(name)}
        >
          {words}
        </button>
      ))}
    </div>
  );
}
