/** The screens of the page, by address. */
export type Route =
  | { readonly screen: 'runs' }
  | { readonly screen: 'start' }
  | { readonly screen: 'approvals' }
  | { readonly screen: 'run'; readonly runId: string }
  | { readonly screen: 'plan'; readonly runId: string }
  | { readonly screen: 'unknown' };

export function toRoute(path: string): Route {
  const [first, id, third, ...rest] = path.split('/').filter((part) => part !== '');
  if (first === undefined) return { screen: 'runs' };
  if (first === 'new' && id === undefined) return { screen: 'start' };
  if (first === 'approvals' && id === undefined) return { screen: 'approvals' };
  if (first !== 'runs' || rest.length > 0) return { screen: 'unknown' };
  if (id === undefined) return { screen: 'runs' };
  const runId = decode(id);
  if (runId === null) return { screen: 'unknown' };
  if (third === undefined) return { screen: 'run', runId };
  return third === 'plan' ? { screen: 'plan', runId } : { screen: 'unknown' };
}

export function toRunPath(runId: string, more = ''): string {
  return `/runs/${encodeURIComponent(runId)}${more}`;
}

function decode(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}
