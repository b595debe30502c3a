import { defineAgent } from '@switchyard/agent';
import { sdkExecutor } from '@switchyard/executor-sdk';
import { MyExecutor } from './executor.ts';

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
  execute: sdkExecutor(new MyExecutor()),
});
