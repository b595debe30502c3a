import { defineAgent } from '@switchyard/agent';
import { writer } from './team/writer.ts';

export default defineAgent({
  id: 'product',
  card: {
    name: 'Product',
    description: 'Writes down what is wanted, so that others can build it.',
    version: '1.0.0',
    defaultInputModes: ['text/plain', 'application/json'],
    defaultOutputModes: ['text/markdown', 'text/plain'],
    skills: [{ id: 'specify', name: 'Specify', description: 'Turns a request into requirements.', tags: ['product'] }],
  },
  execute: writer({
    role: 'product manager',
    document: 'Requirements',
    task: 'Write down what is wanted, so that others can build it.',
  }),
});
