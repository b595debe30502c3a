import { appendFileSync, existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { defineAgent } from '@switchyard/agent';

const skill = (id: string) => ({ id, name: id, description: `Can ${id}.`, tags: ['test'] });

/**
 * Says which skill it was asked for; its skill `print` has a queue of its own. With the name of a file as text it first
 * writes `<skill> <pid>` there, and waits until there is a file `<file>.go`; with `ask` it asks back.
 */
export default defineAgent({
  id: 'skilled',
  card: {
    name: 'Skilled',
    description: 'Has skills with queues of their own.',
    version: '1.0.0',
    skills: [skill('print'), skill('bind')],
  },
  concurrency: 1,
  skillConcurrency: { print: 1 },
  async execute(turn) {
    if (turn.text === 'ask') return turn.requireInput('Which one?');
    if (turn.text.startsWith('/')) {
      appendFileSync(turn.text, `${turn.skill ?? '-'} ${process.pid}\n`);
      while (!existsSync(`${turn.text}.go`)) await delay(20, undefined, { signal: turn.signal });
    }
    return turn.complete(turn.skill ?? '-');
  },
});
