import { defineAgent } from '@switchyard/agent';
import { coderFor } from './team/coder.ts';

export default defineAgent({
  id: 'frontend',
  concurrency: 4,
  card: {
    name: 'Frontend',
    description: 'Writes what people see and touch.',
    version: '1.0.0',
    defaultInputModes: ['text/plain', 'application/json'],
    defaultOutputModes: ['text/plain', 'application/octet-stream'],
    skills: [{ id: 'frontend', name: 'Frontend', description: 'Writes pages and components.', tags: ['coding'] }],
  },
  execute: coderFor({ role: 'Frontend engineer', capabilities: ['Pages and components', 'Accessibility'] }),
});
