import { HumanMessage } from '@langchain/core/messages';
import { END, MemorySaver, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { ChatOpenAI } from '@langchain/openai';
import { executeTurn } from '@switchyard/agent/runtime';
import { expect, it } from 'vitest';
import { agentThat } from '../../../tests/support/agent-that.ts';
import { ModelEndpoint, refusal } from '../../../tests/support/model-endpoint.ts';
import { pacedPort } from '../../../tests/support/paced-port.ts';
import { openScriptedModel } from '../../../tests/support/scripted-model.ts';
import { graphExecutor } from '../src/index.ts';

// LangChain's own client, over HTTP.

const clientOf = (baseURL: string) =>
  new ChatOpenAI({ model: 'scripted', apiKey: 'secret', maxRetries: 0, configuration: { baseURL } });

/** A graph that asks the model twice: first with this question. */
function graphWith(baseURL: string, question: HumanMessage) {
  const model = clientOf(baseURL);
  return new StateGraph(MessagesAnnotation)
    .addNode('plan', async () => ({ messages: [await model.invoke([question])] }))
    .addNode('act', async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
    .addEdge(START, 'plan')
    .addEdge('plan', 'act')
    .addEdge('act', END)
    .compile({ checkpointer: new MemorySaver() });
}

it('counts what the server said to the token, and corrects the pace by it', async () => {
  await using server = await openScriptedModel();
  const { port, asked, corrections } = pacedPort();
  await executeTurn(agentThat(graphExecutor({ graph: graphWith(server.url, new HumanMessage('Plan')) })), port);
  expect(port.current.status).toMatchObject({ state: 'TASK_STATE_COMPLETED', message: { parts: [{ text: 'Yes.' }] } });
  expect(server.answered).toHaveLength(2);
  expect(port.used).toMatchObject(
    server.answered.map(({ input, output }) => ({ model: 'scripted', inputTokens: input, outputTokens: output })),
  );
  expect(asked.map(({ name }) => name)).toEqual(['openai/scripted', 'openai/scripted']);
  expect(corrections).toEqual(
    server.answered.map(({ input, output }, at) => ({ tokens: input + output - (asked[at]?.tokens ?? 0) })),
  );
});

it('takes a picture for a thousand tokens, not for its bytes', async () => {
  await using server = await openScriptedModel();
  const { port, asked } = pacedPort();
  const url = `data:image/png;base64,${'A'.repeat(400_000)}`;
  for (const picture of [
    { type: 'image_url', image_url: { url } },
    { type: 'image', mimeType: 'image/png', data: 'A'.repeat(400_000) },
  ]) {
    const question = new HumanMessage({ content: [{ type: 'text', text: 'What is it?' }, picture] });
    await executeTurn(agentThat(graphExecutor({ graph: graphWith(server.url, question) })), port);
  }
  expect(asked[0]?.tokens).toBeGreaterThan(1_000);
  expect(Math.max(...asked.map(({ tokens = 0 }) => tokens))).toBeLessThan(3_000);
});

it('retries the turn after a refusal, and lets everybody wait as long as the provider says', async () => {
  await using endpoint = new ModelEndpoint(refusal(429, 'rate_limit_exceeded', { 'retry-after': '7' }));
  const { port, corrections } = pacedPort();
  const graph = graphWith(await endpoint.start(), new HumanMessage('Plan'));
  const result = await executeTurn(agentThat(graphExecutor({ graph })), port);
  expect(result).toMatchObject({
    kind: 'retry',
    afterMs: 7_000,
    error: { message: 'The model is receiving too many requests.' },
  });
  expect(corrections).toContainEqual({ pausedMs: 7_000 });
  expect(port.used).toMatchObject([]);
});
