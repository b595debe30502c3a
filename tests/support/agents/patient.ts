import { defineAgent } from '@switchyard/agent';
import type { Message } from '@switchyard/protocol';

const textOf = ({ parts }: Message): string => parts.map(({ text = '' }) => text).join('');

/** Waits for the event `go`, and completes with all that it was told meanwhile. */
export default defineAgent({
  id: 'patient',
  card: { name: 'Patient', description: 'Waits for an event.', version: '1.0.0', skills: [] },
  whileWorking: 'steer',
  async execute(turn) {
    const told = (await turn.steering.take()).map(textOf);
    for (const text of told) await turn.working(`told ${text}`);
    const data = await turn.waitFor('go');
    return turn.complete([turn.text, ...told, data].join(', '));
  },
});
