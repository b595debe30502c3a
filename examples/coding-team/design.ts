import { defineAgent } from '@switchyard/agent';
import { writer } from './team/writer.ts';

export default defineAgent({
  id: 'design',
  card: {
    name: 'Design',
    description: 'Says how it looks and feels.',
    version: '1.0.0',
    defaultInputModes: ['text/plain', 'application/json'],
    defaultOutputModes: ['text/markdown', 'text/plain'],
    skills: [{ id: 'design', name: 'Design', description: 'Turns requirements into a design.', tags: ['design'] }],
  },
  execute: writer({ role: 'designer', document: 'Design', task: 'Describe how it looks and feels.' }),
});
