import { defineAgent } from '@switchyard/agent';

/** Logs what it is told, with a secret, and has the echo do so. */
export default defineAgent({
  id: 'teller',
  card: { name: 'Teller', description: 'Logs.', version: '1.0.0', skills: [] },
  async execute(turn) {
    turn.log.info('Told', { words: turn.text, password: 'hunter2', key: process.env.PUSH_SECRET ?? '' });
    const { text } = await turn.call('echo', turn.text);
    return turn.complete(text);
  },
});
