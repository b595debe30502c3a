import { defineAgent, type Outcome } from '@switchyard/agent';

/** Returns no outcome, as untyped code can. */
export default defineAgent({
  id: 'returns-nothing',
  card: { name: 'Returns nothing', description: 'Forgets to end its turn.', version: '1.0.0', skills: [] },
  async execute(turn) {
    await turn.working('on it');
    return undefined as unknown as Outcome;
  },
});
