import { defineAgent } from '@switchyard/agent';
import { coderFor } from './team/coder.ts';

export default defineAgent({
  id: 'backend',
  concurrency: 4,
  card: {
    name: 'Backend',
    description: 'Writes what runs on the server.',
    version: '1.0.0',
    defaultInputModes: ['text/plain', 'application/json'],
    defaultOutputModes: ['text/plain', 'application/octet-stream'],
    skills: [
      { id: 'backend', name: 'Backend', description: 'Writes services and their interfaces.', tags: ['coding'] },
    ],
  },
  execute: coderFor({ role: 'Backend engineer', capabilities: ['Services and their interfaces', 'Data'] }),
});
