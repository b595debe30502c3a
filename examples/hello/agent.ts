import { defineAgent } from '@switchyard/agent';

export default defineAgent({
  id: 'hello',
  card: {
    name: 'Hello',
    description: 'Greets every caller.',
    version: '1.0.0',
    skills: [
      { id: 'greet', name: 'Greet', description: 'Greets you by your name.', tags: ['demo'], examples: ['Ada'] },
    ],
  },
  execute: (turn) => turn.complete(`Hello, ${turn.text || 'world'}!`),
});
