/** Notices of the browser for new requests: asked for by this button alone, and only while the page is open. */
import { useEffect, useRef, useState } from 'react';
import { formatPlural } from '../../domain/format.ts';

export function NoticeSwitch({ count }: { readonly count: number }) {
  const isKnown = 'Notification' in window;
  const [permission, setPermission] = useState(isKnown ? Notification.permission : 'denied');
  const before = useRef(count);
  useEffect(() => {
    if (count > before.current && permission === 'granted' && document.hidden) {
      new Notification('tributary', { body: `${formatPlural(count, 'request')} for a person`, tag: 'approvals' });
    }
    before.current = count;
  }, [count, permission]);
  if (!isKnown || permission !== 'default') {
    return permission === 'granted' ? <span className="muted small">Browser notices are on</span> : null;
  }
  return (
    <button type="button" onClick={async () => setPermission(await Notification.requestPermission())}>
      Tell me in the browser
    </button>
  );
}
