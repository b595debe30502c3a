import { defineAgent } from '@switchyard/agent';
import { z } from 'zod';

const order = z.object({ pizza: z.string(), count: z.int().positive() });

/** Expects data that its client did not send. */
export default defineAgent({
  id: 'wrong-schema',
  card: { name: 'Wrong schema', description: 'Expects an order as data.', version: '1.0.0', skills: [] },
  async execute(turn) {
    const [part] = turn.message.parts;
    const { pizza, count } = order.parse(part?.data ?? {});
    return turn.complete(`${count} ${pizza}`);
  },
});
