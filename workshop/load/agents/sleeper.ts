import { defineAgent } from '@switchyard/agent';

/** Waits until the time in the message. */
export default defineAgent({
  id: 'sleeper',
  card: { name: 'Sleeper', description: 'Waits.', version: '1.0.0', skills: [] },
  concurrency: 200,
  async execute(turn) {
    await turn.sleepUntil(new Date(turn.text));
    return turn.complete();
  },
});
