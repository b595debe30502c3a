import { defineAgent, type Execute } from '@switchyard/agent';
import { openAiExecutor } from '@switchyard/executor-openai';
import { z } from 'zod';
import { modelFromEnvironment } from './config.ts';
import { startScriptedModel } from './scripted-model.ts';

const order = z.object({
  pizza: z.string().describe('The kind of pizza, once it is known; else empty.'),
  question: z.string().describe('What to ask the customer while the kind is not known; else empty.'),
});

const system = `You take orders at a pizza desk. Find out which kind of pizza the customer wants.
We have Margherita, Salami, Funghi, Hawaiian and Quattro Formaggi. Ask one short question at a time.`;

export default defineAgent({
  id: 'pizza',
  card: {
    name: 'Pizza desk',
    description: 'Takes your order for a pizza, and asks until it knows which kind you want.',
    version: '1.0.0',
    skills: [
      {
        id: 'order-pizza',
        name: 'Order a pizza',
        description: 'Finds out which pizza you want, over as many turns as it takes.',
        tags: ['food'],
        examples: ['I want a pizza', 'Do you have pineapple?'],
      },
    ],
  },
  async execute(turn) {
    desk ??= openDesk();
    return (await desk)(turn);
  },
});

let desk: Promise<Execute> | undefined;

/** Opened on the first turn, because a process that only reads the card needs no model. */
async function openDesk(): Promise<Execute> {
  return openAiExecutor({
    ...(modelFromEnvironment ?? (await startScriptedModel())),
    system,
    structured: {
      name: 'order',
      schema: order,
      toOutcome: ({ pizza, question }, turn) =>
        pizza ? turn.complete(`Your ${pizza} pizza is on its way.`) : turn.requireInput(question || 'What kind?'),
    },
  });
}
