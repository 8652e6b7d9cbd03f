/** The resume cursor: how far each workflow of a run has been told. Opaque to callers; anything else than ours is `null`. */
import { comparePositions, type Position } from '../history/workflow-history.ts';

export type Cursor = {
  /** First execution of the run: a cursor of another run with the same id is not ours. */
  readonly firstRunId: string;
  readonly run: Position;
  /** Subagents that were told to the end of their first attempt, and no further. */
  readonly drained: ReadonlySet<string>;
  /** How far the others were told. */
  readonly open: ReadonlyMap<string, Position>;
  /** Of the next fact of this workflow (`null` = the run's own), so many events were told already. */
  readonly partial?: { readonly subagentId: string | null; readonly told: number };
  /** The `result` event was told too. */
  readonly isEnd: boolean;
};

type Wire = { v: 1; r: string; p: Position; d: string; o: Record<string, Position>; m?: [string, number]; e?: 1 };

/** Drained subagents are written as ranges (`1-40,42`), so that a cursor stays short however many there were. */
export function encodeCursor(cursor: Cursor): string {
  const wire: Wire = {
    v: 1,
    r: cursor.firstRunId,
    p: cursor.run,
    d: toRanges(cursor.drained),
    o: Object.fromEntries(cursor.open),
    ...(cursor.partial && { m: [cursor.partial.subagentId ?? '', cursor.partial.told] }),
    ...(cursor.isEnd && { e: 1 }),
  };
  return Buffer.from(JSON.stringify(wire)).toString('base64url');
}

export function decodeCursor(text: string): Cursor | null {
  try {
    const wire = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as Partial<Wire> | null;
    const drained = typeof wire?.d === 'string' ? fromRanges(wire.d) : null;
    const open = Object.entries(wire?.o ?? {});
    if (wire?.v !== 1 || typeof wire.r !== 'string' || !isPosition(wire.p) || !drained) return null;
    if (!open.every(([, position]) => isPosition(position))) return null;
    if (wire.m !== undefined && !isPartial(wire.m)) return null;
    const partial = wire.m && { subagentId: wire.m[0] === '' ? null : wire.m[0], told: wire.m[1] };
    return {
      firstRunId: wire.r,
      run: wire.p,
      drained,
      open: new Map(open),
      ...(partial && { partial }),
      isEnd: wire.e === 1,
    };
  } catch {
    return null;
  }
}

/** Whether the cursor's owner was told of this fact. */
export function hasSeen(cursor: Cursor, subagentId: string | null, position: Position, attempt = 1): boolean {
  if (subagentId === null) return comparePositions(position, cursor.run) <= 0;
  if (cursor.drained.has(subagentId)) return attempt === 1;
  const told = cursor.open.get(subagentId);
  return told !== undefined && comparePositions(position, told) <= 0;
}

function isPosition(value: unknown): value is Position {
  return Array.isArray(value) && value.length === 2 && value.every((each) => Number.isSafeInteger(each) && each >= 0);
}

function isPartial(value: unknown): value is [string, number] {
  return Array.isArray(value) && typeof value[0] === 'string' && Number.isSafeInteger(value[1]) && value[1] > 0;
}

const plainId = /^s([1-9]\d{0,3})$/;
/** Above the highest plain id; bounds what a forged range can unfold to. */
const maxPlainId = 9_999;

function toRanges(ids: ReadonlySet<string>): string {
  const numbers: number[] = [];
  const others: string[] = [];
  for (const id of ids) {
    const match = plainId.exec(id);
    if (match) numbers.push(Number(match[1]));
    else others.push(id);
  }
  numbers.sort((a, b) => a - b);
  const ranges: string[] = [];
  for (let from = 0; from < numbers.length;) {
    let to = from;
    while (numbers[to + 1] === numbers[to]! + 1) to += 1;
    ranges.push(to === from ? `${numbers[from]}` : `${numbers[from]}-${numbers[to]}`);
    from = to + 1;
  }
  return [...ranges, ...others].join(',');
}

function fromRanges(text: string): Set<string> | null {
  const ids = new Set<string>();
  for (const part of text === '' ? [] : text.split(',')) {
    const range = /^(\d{1,4})(?:-(\d{1,4}))?$/.exec(part);
    if (!range) {
      ids.add(part);
      continue;
    }
    const last = Number(range[2] ?? range[1]);
    if (last > maxPlainId) return null;
    for (let number = Number(range[1]); number <= last; number += 1) ids.add(`s${number}`);
  }
  return ids;
}
