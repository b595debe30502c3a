import { defineAgent } from '@switchyard/agent';

/** Ends its process, as a library for command lines may do. */
export default defineAgent({
  id: 'exits',
  card: { name: 'Exits', description: 'Ends its process.', version: '1.0.0', skills: [] },
  async execute(turn) {
    await turn.working('leaving');
    process.exit(0);
  },
});
