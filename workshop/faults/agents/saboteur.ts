import { setTimeout as delay } from 'node:timers/promises';
import { defineAgent, type Outcome, type Turn } from '@switchyard/agent';

/** Harms the process that it runs in, as it is told: for the tests of what becomes of the others. */
export default defineAgent({
  id: 'saboteur',
  concurrency: 50,
  card: { name: 'Saboteur', description: 'Harms its worker, for tests.', version: '1.0.0', skills: [] },
  async execute(turn) {
    const [deed = '', count = '0'] = turn.text.split(' ');
    await turn.working(deed, { metadata: { pid: process.pid, attempt: turn.attempt } });
    return deeds[deed]?.(turn, Number(count)) ?? turn.fail(`"${deed}" is no deed.`);
  },
});

type Deed = (turn: Turn, count: number) => Promise<Outcome>;

const deeds: Readonly<Record<string, Deed>> = {
  /** As a crash in native code does it: without a word. */
  async die(turn) {
    process.kill(process.pid, 'SIGKILL');
    return turn.complete('still alive');
  },

  /** Takes memory until there is none. */
  async eat(turn) {
    const eaten: number[][] = [];
    for (;;) {
      eaten.push(Array.from({ length: 100_000 }, (_, n) => n * Math.random()));
      if (eaten.length % 20 === 0) await delay(1, undefined, { signal: turn.signal });
    }
  },

  /** Keeps the event loop to itself. */
  async block(turn, ms) {
    const end = performance.now() + ms;
    while (performance.now() < end) Math.sqrt(end);
    return turn.complete(`attempt ${turn.attempt}`);
  },

  /** Harmless. */
  async wait(turn, ms) {
    await delay(ms, undefined, { signal: turn.signal });
    return turn.complete(`attempt ${turn.attempt}`);
  },

  /** So many chunks of 64 KiB. */
  async flood(turn, chunks) {
    const artifact = turn.artifact({ name: 'Flood', keepsParts: true });
    for (let n = 0; n < chunks; n++) await artifact.append(String(n).padEnd(65_536, '.'));
    await artifact.finish();
    return turn.complete('flooded');
  },
};
