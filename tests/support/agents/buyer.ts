import { defineAgent } from '@switchyard/agent';
import { askModel } from '../scripted-model.ts';

/** Looks and buys, without steps: a retried turn asks the model at the URL of the message again. */
export default defineAgent({
  id: 'buyer',
  card: { name: 'Buyer', description: 'Buys.', version: '1.0.0', skills: [] },
  async execute(turn) {
    await askModel(turn, 'look');
    await askModel(turn, 'buy');
    return turn.complete('bought');
  },
});
