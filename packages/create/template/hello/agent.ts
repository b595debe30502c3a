import { defineAgent } from '@switchyard/agent';

export default defineAgent({
  id: 'my-agent',
  card: {
    name: 'My agent',
    description: 'Greets every caller.',
    version: '0.1.0',
    skills: [
      { id: 'greet', name: 'Greet', description: 'Greets you by your name.', tags: ['demo'], examples: ['Ada'] },
    ],
  },
  async execute(turn) {
    if (turn.text === '') return turn.requireInput('What is your name?');
    return turn.complete(`Hello, ${turn.text}!`);
  },
});
