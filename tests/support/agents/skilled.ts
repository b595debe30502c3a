import { appendFileSync, existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { defineAgent } from '@switchyard/agent';

const skill = (id: string) => ({ id, name: id, description: `Can ${id}.`, tags: ['test'] });

/**
 * Answers with the requested skill; its skill `print` has its own queue. If its text is the name of a file, it first
 * writes `<skill> <pid>` there and waits for a file `<file>.go`; for `ask` it asks back.
 */
export default defineAgent({
  id: 'skilled',
  card: {
    name: 'Skilled',
    description: 'Has skills with their own queues.',
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
