import { appendFileSync } from 'node:fs';
import { env } from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import type { Outcome, Turn } from '@switchyard/agent';
import { HOLD_MS, machineMs, TOKENS_OF_MESSAGE } from '../workload/scenario.ts';

/**
 * The part of an agent with limits: its turn makes sure `count` times that it has its place. It notes for each time when
 * it asked and when it knew: in between, the place was its own (`workload/held-places.ts`).
 */
export async function holdPlace(turn: Turn, group: string): Promise<Outcome> {
  const [, count = '0', key = ''] = turn.text.split(' ');
  // A retry, or a turn that its own process has taken again, is another run.
  const run = `${process.pid}.${crypto.randomUUID()}`;
  noteIn(env.EFFECTS_FILE, [turn.task.id, turn.attempt, machineMs()]);
  for (let n = 1; n <= Number(count); n++) {
    const askedMs = machineMs();
    await turn.confirm();
    noteIn(env.PLACES_FILE, [turn.agentId, group, run, askedMs, machineMs()]);
    await delay(HOLD_MS, undefined, { signal: turn.signal });
  }
  await turn.usage({ model: 'scripted', key: turn.message.messageId, inputTokens: TOKENS_OF_MESSAGE });
  return turn.complete(`Held a place ${count} times for ${key}`);
}

function noteIn(file: string | undefined, values: readonly (string | number)[]): void {
  if (file) appendFileSync(file, `${values.join(' ')}\n`);
}
