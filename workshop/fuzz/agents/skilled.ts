import { defineAgent } from '@switchyard/agent';

const skill = (id: string) => ({ id, name: id, description: `Can ${id}.`, tags: ['test'] });

/** Answers with the requested skill. `print` has its own queue. */
export default defineAgent({
  id: 'skilled',
  card: { name: 'Skilled', description: 'Has skills.', version: '1.0.0', skills: [skill('print'), skill('bind')] },
  skillConcurrency: { print: 2 },
  async execute(turn) {
    return turn.complete(turn.skill ?? 'none');
  },
});
