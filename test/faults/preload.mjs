/** Loaded into a worker of the built product before anything else: gives it two more tools, and a clock that jumps. */
import { existsSync, readFileSync } from 'node:fs';
import { register } from 'node:module';
import { performance } from 'node:perf_hooks';

register('./tool-hooks.mjs', import.meta.url);

const { FAULT_CLOCK: clock } = process.env;
if (clock !== undefined) {
  const RealDate = Date;
  let shift = 0;
  let readAt = -Infinity;
  const shiftMs = () => {
    if (performance.now() - readAt > 20) {
      readAt = performance.now();
      shift = existsSync(clock) ? Number(readFileSync(clock, 'utf8')) : 0;
    }
    return shift;
  };
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
