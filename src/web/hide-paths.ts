/** What stays on this machine: where folders, scripts and programs are. Answers name them and do not say where they stand. */
import type { ResearchRequest } from '../contract/request.ts';
import type { RunDescription, RunEvent } from '../contract/run-view.ts';

export type PathVeil = {
  /** The same text without the paths of this machine. */
  readonly hide: (text: string) => string;
  /** JSON of a value, likewise. */
  toJson(value: unknown): string;
  describe(run: RunDescription): RunDescription;
  tell(event: RunEvent): RunEvent;
};

/** A model that is a script is named by its path. */
const scriptFolder = /scripted:(?:[^"\s/\\]*[/\\]+)+/g;

/** `names`: what stands in place of each path. */
export function createPathVeil(names: Readonly<Record<string, string>>): PathVeil {
  const paths = Object.keys(names)
    .filter((path) => path.length > 1)
    // The longest first: one may lie in another.
    .sort((a, b) => b.length - a.length);
  const forms = paths.flatMap((path) => [path, JSON.stringify(path).slice(1, -1)]);
  const pattern = paths.length === 0 ? null : new RegExp(`(?:${forms.map(escape).join('|')})(?![\\w-])`, 'g');
  const nameOf = new Map(
    paths.flatMap((path) => [path, JSON.stringify(path).slice(1, -1)].map((each) => [each, path])),
  );

  const hide = (text: string) => {
    const named = pattern ? text.replace(pattern, (found) => names[nameOf.get(found)!]!) : text;
    return named.replace(scriptFolder, 'scripted:');
  };
  const describe = (run: RunDescription): RunDescription =>
    run.request ? { ...run, request: toPublicRequest(run.request, names) } : run;
  return {
    hide,
    toJson: (value) => hide(JSON.stringify(value)),
    describe,
    tell: (event) => (event.type === 'snapshot' ? { ...event, run: describe(event.run) } : event),
  };
}

/** A folder that was not configured under a name goes by its own. */
function toPublicRequest(request: ResearchRequest, names: Readonly<Record<string, string>>): ResearchRequest {
  const { corpus, models, onEvent } = request;
  const { planner, subagent, synthesis } = models;
  return {
    ...request,
    ...(corpus !== undefined && { corpus: names[corpus] ?? lastPart(corpus) }),
    models: { planner: toModelName(planner), subagent: toModelName(subagent), synthesis: toModelName(synthesis) },
    prices: Object.fromEntries(Object.entries(request.prices).map(([name, price]) => [toModelName(name), price])),
    // The path of a webhook is often its key.
    ...(onEvent?.kind === 'webhook' && { onEvent: { kind: 'webhook' as const, url: new URL(onEvent.url).origin } }),
    ...(onEvent?.kind === 'command' && {
      onEvent: { kind: 'command' as const, command: [lastPart(onEvent.command[0] ?? '')] },
    }),
  };
}

/** `scripted:/home/me/demo.yaml` is known as `scripted:demo.yaml`. */
export function toModelName(name: string): string {
  return name.startsWith('scripted:') ? `scripted:${lastPart(name.slice('scripted:'.length))}` : name;
}

function lastPart(path: string): string {
  return path.split(/[\\/]/).filter(Boolean).at(-1) ?? '';
}

function escape(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
