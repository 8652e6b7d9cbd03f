/** Loaded into a worker of the built product before anything else: gives it two more tools, and a clock that jumps. */
import { existsSync, readFileSync } from 'node:fs';
import { register } from 'node:module';

register('./tool-hooks.mjs', import.meta.url);

const { FAULT_CLOCK: clock } = process.env;
if (clock !== undefined) {
  const RealDate = Date;
  const shiftMs = () => (existsSync(clock) ? Number(readFileSync(clock, 'utf8')) : 0);
  globalThis.Date = class extends RealDate {
    constructor(...parts) {
      if (parts.length === 0) super(RealDate.now() + shiftMs());
      else super(...parts);
    }
    static now() {
      return RealDate.now() + shiftMs();
    }
  };
}
