import { defineAgent } from '@switchyard/agent';

/** Logs its message with a secret, and calls the echo agent. */
export default defineAgent({
  id: 'teller',
  card: { name: 'Teller', description: 'Logs its message.', version: '1.0.0', skills: [] },
  async execute(turn) {
    turn.log.info('Told', { words: turn.text, password: 'hunter2', key: process.env.PUSH_SECRET ?? '' });
    const { text } = await turn.call('echo', turn.text);
    return turn.complete(text);
  },
});
