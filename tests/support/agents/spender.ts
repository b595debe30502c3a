import { defineAgent } from '@switchyard/agent';
import { askModel } from '../scripted-model.ts';

/** Plans and sums up in steps of their own, with the model at the URL of the message, and calls a buyer in between. */
export default defineAgent({
  id: 'spender',
  card: { name: 'Spender', description: 'Spends tokens.', version: '1.0.0', skills: [] },
  async execute(turn) {
    await turn.step('plan', () => askModel(turn, 'plan'));
    await turn.call('buyer', turn.text);
    await turn.step('sum up', () => askModel(turn, 'sum up'));
    return turn.complete('spent');
  },
});
