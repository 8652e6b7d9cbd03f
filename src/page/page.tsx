/** The frame of every screen: skip link, head, the screen of the address. Screens but the list come when they are needed. */
import { lazy, Suspense, useCallback, useEffect, useRef, useState } from 'react';
import { useNeedsToken } from './server/use-server.ts';
import { useShortcuts } from './keys/shortcuts.ts';
import { ShortcutsDialog } from './keys/shortcuts-dialog.tsx';
import { navigate, useLocation } from './navigation/location.ts';
import { Link } from './navigation/link.tsx';
import { toRoute, type Route } from './navigation/route.ts';
import { Boundary } from './parts/boundary.tsx';
import { RunsScreen } from './runs/runs-screen.tsx';
import { SignIn } from './sign-in.tsx';
import { TopBar } from './top-bar.tsx';

const RunScreen = lazy(() => import('./run/run-screen.tsx'));
const StartScreen = lazy(() => import('./start/start-screen.tsx'));
const PlanScreen = lazy(() => import('./plan/plan-screen.tsx'));
const ApprovalsScreen = lazy(() => import('./approvals/approvals-screen.tsx'));

export function Page() {
  const { path } = useLocation();
  const needsToken = useNeedsToken();
  const [hasHelp, setHelp] = useState(false);
  const openHelp = useCallback(() => setHelp(true), []);
  const main = useRef<HTMLElement>(null);
  const shown = useRef(path);
  useEffect(() => {
    // A new screen begins at its head, for eyes and for screen readers.
    if (shown.current === path) return;
    shown.current = path;
    window.scrollTo(0, 0);
    main.current?.focus({ preventScroll: true });
  }, [path]);
  useShortcuts({
    '?': openHelp,
    n: () => navigate('/new'),
    'g r': () => navigate('/'),
    'g a': () => navigate('/approvals'),
    '/': () => {
      const field = document.querySelector<HTMLElement>('[data-search]');
      field?.focus();
      return field !== null;
    },
  });
  return (
    <>
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <TopBar onHelp={openHelp} />
      <main id="main" ref={main} tabIndex={-1}>
        <Boundary key={path}>
          <Suspense fallback={<p className="muted">Loading the screen…</p>}>
            {needsToken ? <SignIn /> : toScreen(toRoute(path))}
          </Suspense>
        </Boundary>
      </main>
      {hasHelp && <ShortcutsDialog onClose={() => setHelp(false)} />}
    </>
  );
}

function toScreen(route: Route) {
  switch (route.screen) {
    case 'runs':
      return <RunsScreen />;
    case 'start':
      return <StartScreen />;
    case 'approvals':
      return <ApprovalsScreen />;
    case 'run':
      return <RunScreen key={route.runId} runId={route.runId} />;
    case 'plan':
      return <PlanScreen key={route.runId} runId={route.runId} />;
    case 'unknown':
      return (
        <div className="stack">
          <h1>There is no such page</h1>
          <p>
            <Link to="/">All runs</Link>
          </p>
        </div>
      );
    default:
      return route satisfies never;
  }
}
