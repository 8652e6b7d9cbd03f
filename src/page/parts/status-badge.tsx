/** Mark, word and colour of a status. */
import type { RunStatus, SubagentStatus } from '../../contract/run-view.ts';
import { Icon } from './icon.tsx';
import { toLook } from './status-looks.ts';

export function StatusBadge({
  status,
  words,
}: {
  readonly status: RunStatus | SubagentStatus;
  /** Instead of the word of the status: what it is doing. */
  readonly words?: string;
}) {
  const { icon, word, tone } = toLook(status);
  return (
    <span className={`status tone-${tone}`} title={words}>
      <Icon name={icon} />
      <span>{words ?? word}</span>
    </span>
  );
}
