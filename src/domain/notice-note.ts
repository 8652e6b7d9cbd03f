/** What a run notes of a notice that did not arrive. A run notes it once, however many there were. */

const beginning = 'what --on-event names was not told';

/** `why`: the message of the failure; `null` where it was not done in time. */
export function toNoticeNote(why: string | null): string {
  return `${beginning}: ${why ?? 'it was not done in time'}`;
}

export function hasNoticeNote(notes: readonly string[]): boolean {
  return notes.some((note) => note.startsWith(beginning));
}
