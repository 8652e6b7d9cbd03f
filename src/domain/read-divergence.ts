/** Reads Temporal's words for a determinism violation: at which event, and what the code wanted there. */

export type ToldDivergence = {
  /** `null` where the words do not name the event. */
  readonly eventId: number | null;
  /** `null` where the words are none that we know. */
  readonly wanted: string | null;
};

/** `Activity machine does not handle this event: HistoryEvent(id: 5, TimerStarted)` */
const unhandled = /(?:^|: )([A-Za-z ]+?) ?[mM]achine does not handle (?:this event: )?HistoryEvent\(id: (\d+)/;
/** `No command scheduled for event HistoryEvent(id: 21, …)` */
const notWanted = /No command scheduled for event HistoryEvent\(id: (\d+)/;
/** `Activity type of scheduled event 'a' does not match activity type of activity command 'b'` */
const otherName = / of scheduled event '.*?' does not match (.+?) of (?:(.+?) )?command '(.*)'/s;
const anyEvent = /HistoryEvent\(id: (\d+)/;

/** Temporal's state machines, as what the code asked for. */
const wishes: Readonly<Record<string, string>> = {
  Activity: 'an activity',
  'Local activity': 'a local activity',
  Timer: 'a timer',
  'Child workflow': 'a child workflow',
  'Signal external WF': 'to signal another workflow',
  'Cancel external WF': 'to cancel another workflow',
  'Nexus operation': 'a Nexus operation',
  Update: 'to answer an update',
  ModifyWorkflowProperties: 'to change the memo',
  UpsertWorkflowSearchAttributes: 'to change search attributes',
  'Complete workflow': 'to complete the workflow',
  'Fail workflow': 'to fail the workflow',
  'Cancel workflow': 'to end the workflow as cancelled',
  'Continue as new workflow': 'to continue as new',
};

export function readDivergence(message: string): ToldDivergence {
  const idle = notWanted.exec(message);
  if (idle) return { eventId: Number(idle[1]), wanted: 'nothing' };
  const machine = unhandled.exec(message);
  if (machine) return { eventId: Number(machine[2]), wanted: wishes[machine[1]!] ?? `a command of "${machine[1]}"` };
  const event = anyEvent.exec(message);
  const eventId = event ? Number(event[1]) : null;
  const other = otherName.exec(message);
  if (!other) return { eventId, wanted: null };
  const [, part = '', whose, name = ''] = other;
  return { eventId, wanted: toWish(part, whose, name) };
}

function toWish(part: string, whose: string | undefined, name: string): string {
  if (part === 'child workflow id') return `child workflow ${name}`;
  if (part === 'child workflow type') return `child workflow of type ${name}`;
  const what = whose ?? 'command';
  return part.endsWith('type') ? `${what} ${name}` : `${what} with the ${part} ${name}`;
}

/** `TimerStarted`, whatever tool wrote `EVENT_TYPE_TIMER_STARTED`. */
export function toEventName(eventType: string): string {
  const constant = eventType.replace(/^EVENT_TYPE_/, '');
  if (!/^[A-Z_]+$/.test(constant)) return constant;
  return constant.toLowerCase().replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
