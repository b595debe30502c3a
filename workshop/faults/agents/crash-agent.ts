import { setTimeout as delay } from 'node:timers/promises';
import { defineAgent, type Outcome, type Turn } from '@switchyard/agent';

/** Crashes or blocks its own process, as the message demands, to test what happens to other turns. */
export default defineAgent({
  id: 'crash-agent',
  concurrency: 50,
  card: { name: 'Crash agent', description: 'Harms its worker, for tests.', version: '1.0.0', skills: [] },
  async execute(turn) {
    const [name = '', count = '0'] = turn.text.split(' ');
    await turn.working(name, { metadata: { pid: process.pid, attempt: turn.attempt } });
    const behaviour: Behaviour | undefined = Object.entries(behaviours).find(([known]) => known === name)?.[1];
    return behaviour?.(turn, Number(count)) ?? turn.fail(`There is no behaviour "${name}".`);
  },
});

type Behaviour = (turn: Turn, count: number) => Promise<Outcome>;

const behaviours = {
  /** Like a crash in native code: without a message. */
  async die(turn: Turn) {
    process.kill(process.pid, 'SIGKILL');
    return turn.complete('still alive');
  },

  /** Allocates memory until none is left. */
  async eat(turn: Turn): Promise<Outcome> {
    const eaten: number[][] = [];
    for (;;) {
      eaten.push(new Array<number>(1_000_000).fill(Math.random()));
      if (eaten.length % 2 === 0) await delay(1, undefined, { signal: turn.signal });
    }
  },

  async block(turn: Turn, ms: number): Promise<Outcome> {
    const end = performance.now() + ms;
    while (performance.now() < end) Math.sqrt(end);
    return turn.complete(`attempt ${turn.attempt}`);
  },

  /** Blocks the event loop in its first attempt only. */
  async blockOnce(turn: Turn, ms: number): Promise<Outcome> {
    return turn.attempt === 1 ? behaviours.block(turn, ms) : turn.complete(`attempt ${turn.attempt}`);
  },

  async wait(turn: Turn, ms: number): Promise<Outcome> {
    await delay(ms, undefined, { signal: turn.signal });
    return turn.complete(`attempt ${turn.attempt}`);
  },

  /** Publishes chunks of 64 KiB. */
  async flood(turn: Turn, chunks: number) {
    const artifact = turn.artifact({ name: 'Flood', keepsChunksApart: true });
    for (let n = 0; n < chunks; n++) await artifact.append(String(n).padEnd(65_536, '.'));
    await artifact.finish();
    return turn.complete('flooded');
  },
} satisfies Readonly<Record<string, Behaviour>>;
