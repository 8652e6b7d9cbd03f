/** A script is named by its path: made absolute, because a worker may have been started elsewhere. */
import { resolve } from 'node:path';

export const scripted = 'scripted:';

export function toAbsoluteModel(name: string): string {
  return name.startsWith(scripted) ? scripted + resolve(name.slice(scripted.length)) : name;
}
