// `npm run fairness`: one tenant has thousands of messages waiting, another sends one. It must begin within a turn and
// twice the time that it takes when nobody else sends.

import { count, readCommandLine } from '../options.ts';
import { measureFairness, TURN_MS } from './measure/fairness.ts';

const { queued } = readCommandLine({
  usage: 'npm run fairness [-- options]',
  options: { queued: count({ what: 'messages of the other tenant', fallback: '50000' }, 1, 1_000_000) },
}).options;

const { idleMs, besideMs, waiting } = await measureFairness({ queued, sent: 40 });
const mostMs = 2 * idleMs + TURN_MS;
process.stdout.write(
  `a turn begins after ${idleMs.toFixed(1)} ms when nobody else sends, and after ${besideMs.toFixed(1)} ms beside ` +
    `${waiting} messages of another tenant; at most ${mostMs.toFixed(1)} ms are fair\n`,
);
const isHeld = besideMs <= mostMs;
process.stdout.write(isHeld ? 'held\n' : 'not held\n');
process.exitCode = isHeld ? 0 : 1;
