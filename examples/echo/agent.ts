import { defineAgent } from '@switchyard/agent';
import { commandIn } from './commands.ts';

export default defineAgent({
  id: 'echo',
  concurrency: 200,
  card: {
    name: 'Echo',
    description:
      'Says what it was told. A few words make it do something else, for tests and for trying things out: ' +
      '"stream <n>", "slow <ms>", "ask", "auth", "message", "reject", "fail", "crash", "retry <n>".',
    version: '1.0.0',
    defaultInputModes: ['*/*'],
    defaultOutputModes: ['*/*'],
    skills: [
      {
        id: 'echo',
        name: 'Echo',
        description: 'Completes with the parts of your message, whatever they are.',
        tags: ['test'],
        examples: ['Hello there', 'stream 100', 'slow 2000', 'retry 2'],
      },
    ],
  },
  async execute(turn) {
    const command = commandIn(turn.text);
    return command ? command(turn) : turn.complete(turn.message.parts);
  },
});
