import { defineAgent, EventError, type Turn } from '@switchyard/agent';
import { openAiModel } from '@switchyard/executor-openai';
import { z } from 'zod';
import { modelFromEnvironment } from './config.ts';
import { askForApproval } from './manager.ts';
import { startScriptedModel } from './scripted-model.ts';

const approval = z.object({ approved: z.boolean(), by: z.string().min(1) });

export default defineAgent({
  id: 'purchase',
  card: {
    name: 'Purchase',
    description: 'Finds what you need, has the purchase approved, and orders it.',
    version: '1.0.0',
    skills: [
      {
        id: 'buy',
        name: 'Buy',
        description: 'Compares products, asks a manager, and orders the best one.',
        tags: ['research', 'approval'],
        examples: ['A standing desk for the office'],
      },
    ],
  },
  budget: { microUsd: 50_000 }, // 0.05 USD for each task
  async execute(turn) {
    const products = await ask(turn, 'compare', `Compare three products for this wish: ${turn.text}`);
    const proposal = await ask(turn, 'propose', `Propose one of these products, in a sentence:\n${products}`);
    const answerUrl = await turn.callbackUrl('approval');
    await turn.step('ask-manager', ({ signal }) => askForApproval(turn, { proposal, answerUrl, signal }), {
      attempts: 5,
      timeoutMs: 10_000,
    });
    await turn.working(`Waits for a manager: ${proposal}`);
    const answer = await answerOf(turn);
    if (!answer) return turn.reject('No manager answered within 7 days.');
    if (!answer.approved) return turn.reject(`${answer.by} does not want it: ${proposal}`);
    const order = await turn.step('order', () => placeOrder(turn.task.id));
    return turn.complete(`Order ${order} is placed, approved by ${answer.by}: ${proposal}`);
  },
});

/** A model that fails is asked again, by this step; what it has answered is remembered, and paid, once. */
function ask(turn: Turn, step: string, prompt: string): Promise<string> {
  return turn.step(step, async ({ signal }) => (await openModel()).text({ prompt, signal }), {
    attempts: 3,
    timeoutMs: 60_000,
  });
}

/** The first usable answer; undefined: there was none in time. */
async function answerOf(turn: Turn): Promise<z.infer<typeof approval> | undefined> {
  // Another wait after an unusable answer does not begin another seven days.
  const deadline = await turn.step('deadline', () => Date.now() + 7 * 86_400_000);
  for (;;) {
    try {
      return await turn.waitFor('approval', { timeout: Math.max(1, deadline - Date.now()), schema: approval });
    } catch (error) {
      if (!(error instanceof EventError)) throw error;
      if (error.kind === 'timed-out') return undefined;
      turn.log.warn(error.message);
    }
  }
}

/** Stands for a shop. The task's id is its idempotency key: a second order with it is the first one. */
async function placeOrder(key: string): Promise<string> {
  return key.slice(0, 8);
}

let settings: ReturnType<typeof startScriptedModel> | undefined;

/** Opened on the first turn, because a process that only reads the card needs no model. */
async function openModel() {
  settings ??= startScriptedModel();
  return openAiModel(modelFromEnvironment ?? (await settings));
}
