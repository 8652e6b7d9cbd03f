/** Where one can go, whether what is shown is current, and how the page looks. */
import { useState } from 'react';
import { countBlocked, useConfig, useCounts, useHealth } from './server/use-server.ts';
import { useConnection, type Connection } from './live/connection.ts';
import { Link } from './navigation/link.tsx';
import { useLocation } from './navigation/location.ts';
import { Icon, type IconName } from './parts/icon.tsx';
import { applyTheme, readTheme, themes, type Theme } from './theme/theme.ts';

const states: Readonly<Record<Connection, { icon: IconName; word: string; tone: string }>> = {
  connecting: { icon: 'half', word: 'Connecting', tone: 'mute' },
  live: { icon: 'live', word: 'Live', tone: 'ok' },
  reconnecting: { icon: 'retry', word: 'Reconnecting', tone: 'warn' },
  recorded: { icon: 'check', word: 'Recording', tone: 'mute' },
};

export function TopBar({ onHelp }: { readonly onHelp: () => void }) {
  const { path } = useLocation();
  const counts = useCounts();
  const config = useConfig();
  const health = useHealth();
  const [theme, setTheme] = useState<Theme>(readTheme);
  const waiting = counts ? countBlocked(counts.byStatus) : 0;
  const state = states[useConnection()];
  const cycle = () => {
    const next = themes[(themes.indexOf(theme) + 1) % themes.length]!;
    applyTheme(next);
    setTheme(next);
  };
  const here = (isHere: boolean) => (isHere ? ({ 'aria-current': 'page' } as const) : {});
  return (
    <header className="top">
      <Link className="brand" to="/">
        tributary
      </Link>
      <nav aria-label="Main">
        <Link to="/" {...here(path === '/' || path === '/runs')}>
          Runs
        </Link>
        <Link to="/new" {...here(path === '/new')}>
          New
        </Link>
        <Link to="/approvals" {...here(path === '/approvals')}>
          Approvals
          {waiting > 0 && (
            <span className="tag count hot">
              {waiting}
              <span className="hidden"> {waiting === 1 ? 'run waits' : 'runs wait'} for a person</span>
            </span>
          )}
        </Link>
      </nav>
      <span className="grow" />
      {config?.readOnly && <span className="tag">Read only</span>}
      {health.data?.hasWorker === false && (
        <span className="status tone-warn" title={`No worker polls the task queue ${health.data.taskQueue}`}>
          <Icon name="alert" />
          No worker
        </span>
      )}
      <span className={`status tone-${state.tone}`}>
        <Icon name={state.icon} />
        {state.word}
      </span>
      <button type="button" className="wide" aria-keyshortcuts="?" onClick={onHelp}>
        Shortcuts
      </button>
      <button type="button" onClick={cycle}>
        Theme: {theme}
      </button>
    </header>
  );
}
