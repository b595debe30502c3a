import { appendFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { defineAgent } from '@switchyard/agent';

/** Calls an agent in a step, and notes it in a file. In the first attempt it then waits until it is killed. */
export default defineAgent({
  id: 'messenger',
  card: { name: 'Messenger', description: 'Calls another agent.', version: '1.0.0', skills: [] },
  async execute(turn) {
    await turn.step('set out', () => turn.attempt);
    const answer = await turn.step('deliver', async () => {
      const { text } = await turn.call('echo', turn.text);
      appendFileSync(String(turn.metadata.file), `${text}\n`);
      if (turn.attempt === 1) await delay(60_000, undefined, { signal: turn.signal });
      return text;
    });
    return turn.complete(answer);
  },
});
