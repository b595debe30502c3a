import { setTimeout as delay } from 'node:timers/promises';
import { defineAgent } from '@switchyard/agent';

/** Declares that it may answer with a plain message, and answers after a while. */
export default defineAgent({
  id: 'oracle',
  repliesWithMessage: true,
  card: { name: 'Oracle', description: 'Answers with a message.', version: '1.0.0', skills: [] },
  async execute(turn) {
    await delay(100, undefined, { signal: turn.signal });
    return turn.reply('42');
  },
});
