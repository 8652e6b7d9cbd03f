/** The list of keys, and the switch that turns them off. */
import { useState } from 'react';
import { Dialog } from '../parts/dialog.tsx';
import { areShortcutsOn, shortcutList, switchShortcuts } from './shortcuts.ts';

export function ShortcutsDialog({ onClose }: { readonly onClose: () => void }) {
  const [isOn, setOn] = useState(areShortcutsOn);
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <dl>
        {shortcutList.map(([keys, what]) => (
          <div key={keys} className="contents">
            <dt>
              {keys.split(' ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <label className="choice">
        <input
          type="checkbox"
          checked={isOn}
          onChange={(event) => {
            switchShortcuts(event.target.checked);
            setOn(event.target.checked);
          }}
        />
        Single keys do something
      </label>
      <div className="actions">
        <button type="button" data-first onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
