/** The subtasks of a draft: written in place, moved with buttons or Alt and an arrow, taken out and added. */
import { useRef, type KeyboardEvent } from 'react';
import { formatShort } from '../../domain/format.ts';
import { Icon } from '../parts/icon.tsx';
import type { DraftItem } from './plan-draft.ts';

export function PlanList({
  draft,
  maxChars,
  shareTokens,
  isReadOnly,
  onChange,
}: {
  readonly draft: readonly DraftItem[];
  readonly maxChars: number;
  /** What each of them may use, about. */
  readonly shareTokens: number;
  readonly isReadOnly: boolean;
  readonly onChange: (draft: readonly DraftItem[]) => void;
}) {
  const list = useRef<HTMLOListElement>(null);
  const added = useRef(0);
  const move = (index: number, by: number) => {
    const to = index + by;
    const item = draft[index];
    if (!item || to < 0 || to >= draft.length) return;
    onChange(draft.toSpliced(index, 1).toSpliced(to, 0, item));
  };
  const onKeyDown = (index: number) => (event: KeyboardEvent) => {
    if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return;
    event.preventDefault();
    move(index, event.key === 'ArrowUp' ? -1 : 1);
  };
  const add = () => {
    added.current += 1;
    onChange([...draft, { id: null, goal: '', key: `new-${added.current}` }]);
    requestAnimationFrame(() => list.current?.querySelector<HTMLElement>('li:last-child textarea')?.focus());
  };
  return (
    <>
      <ol className="plan" ref={list}>
        {draft.map((item, index) => (
          <li key={item.key} className="card" onKeyDown={onKeyDown(index)}>
            <strong className="number">{index + 1}</strong>
            <div className="field">
              <textarea
                rows={Math.max(1, Math.ceil(item.goal.length / 80))}
                aria-label={`Goal of subtask ${index + 1}`}
                maxLength={maxChars}
                readOnly={isReadOnly}
                value={item.goal}
                onChange={(event) => onChange(draft.with(index, { ...item, goal: event.target.value }))}
              />
              <span className="hint number">
                {item.id ?? 'new'} · about {formatShort(Math.max(0, shareTokens))} tokens
              </span>
            </div>
            {!isReadOnly && (
              <div className="tools">
                <button
                  type="button"
                  aria-label={`Move subtask ${index + 1} up`}
                  disabled={index === 0}
                  onClick={() => move(index, -1)}
                >
                  <Icon name="up" />
                </button>
                <button
                  type="button"
                  aria-label={`Move subtask ${index + 1} down`}
                  disabled={index === draft.length - 1}
                  onClick={() => move(index, 1)}
                >
                  <Icon name="down" />
                </button>
                <button
                  type="button"
                  aria-label={`Take out subtask ${index + 1}`}
                  onClick={() => onChange(draft.toSpliced(index, 1))}
                >
                  <Icon name="cross" />
                </button>
              </div>
            )}
          </li>
        ))}
      </ol>
      {!isReadOnly && (
        <div>
          <button type="button" onClick={add}>
            + Add subtask
          </button>
        </div>
      )}
    </>
  );
}
