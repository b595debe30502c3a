import { defineAgent } from '@switchyard/agent';
import { sdkExecutor } from '@switchyard/executor-sdk';
import { PizzaExecutor } from './pizza-executor.ts';

/** The unmodified executor on a worker. */
export default defineAgent({
  id: 'sdk-pizza',
  card: {
    name: 'Pizza desk',
    description: 'Takes your order for a pizza.',
    version: '1.0.0',
    skills: [{ id: 'order', name: 'Order a pizza', description: 'Finds out which one you want.', tags: ['food'] }],
  },
  execute: sdkExecutor(new PizzaExecutor()),
});
