import { runTurn } from '@switchyard/agent/testing';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { agentThat } from '../../../tests/support/agent-that.ts';
import { answer, inTurn, ModelEndpoint, whole } from '../../../tests/support/model-endpoint.ts';
import { openAiExecutor } from '../src/index.ts';

/** An agent that says something before it asks its model, and then asks its client. */
async function begin(endpoint: ModelEndpoint) {
  const ask = openAiExecutor({
    model: 'm',
    baseURL: await endpoint.start(),
    system: 'Be brief.',
    structured: {
      name: 'answer',
      schema: z.object({ text: z.string() }),
      toOutcome: ({ text }, turn) => turn.requireInput(text),
    },
  });
  const agent = agentThat(async (turn) => {
    await turn.working(`On it: ${turn.text}`);
    await turn.step('look', () => turn.working('Looking'));
    return ask(turn);
  });
  const asked = () =>
    endpoint.requests.map(({ body }) => body.messages.map(({ role, content }) => `${role}: ${content}`));
  return { agent, asked };
}

const says = (text: string) => whole({ content: JSON.stringify({ text }) });

it('a retried turn asks the model the same, without what the turn itself has said before', async () => {
  await using endpoint = new ModelEndpoint(inTurn(answer(503, 'Down'), says('Which?')));
  const { agent, asked } = await begin(endpoint);
  const { answer: said } = await runTurn(agent, 'A pizza');
  expect(said).toBe('Which?');
  const request = ['system: Be brief.', 'user: A pizza'];
  expect(asked()).toEqual([request, request]);
});

it('a message that came during another turn stands after the answer of that turn', async () => {
  await using endpoint = new ModelEndpoint(inTurn(says('First'), says('Second'), says('Third')));
  const { agent, asked } = await begin(endpoint);
  const first = await runTurn(agent, 'One', { steeredBy: [{ message: 'Two' }] });
  const second = await first.say(first.untaken[0] ?? '');
  await second.say('Three');
  const one = ['system: Be brief.', 'user: One'];
  const two = ['assistant: On it: One', 'assistant: Looking', 'assistant: First', 'user: Two'];
  const three = ['assistant: On it: Two', 'assistant: Looking', 'assistant: Second', 'user: Three'];
  expect(asked()).toEqual([one, [...one, ...two], [...one, ...two, ...three]]);
});
