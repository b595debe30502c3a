import { env } from 'node:process';

// Preloaded into a process (NODE_OPTIONS=--import): SIGUSR2 moves its clock by CLOCK_STEP_MS, the next one moves it
// back. Measured time (performance.now, timers) is not affected, as when a real clock is set.

const RealDate = Date;
const stepMs = Number(env.CLOCK_STEP_MS ?? 0);
let offsetMs = 0;

class ShiftedDate extends RealDate {
  constructor(...given: [] | [number | string | Date]) {
    if (given.length === 0) super(ShiftedDate.now());
    else super(...given);
  }

  static override now(): number {
    return RealDate.now() + offsetMs;
  }
}

globalThis.Date = ShiftedDate as DateConstructor;
process.on('SIGUSR2', () => {
  offsetMs = offsetMs === 0 ? stepMs : 0;
});
