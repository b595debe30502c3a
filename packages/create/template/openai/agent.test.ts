import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, test } from 'node:test';
import { runTurn } from '@switchyard/agent/testing';

// A fake model, which gives the same answer to every question.
const answer = { choices: [{ index: 0, delta: { content: 'It is 42.' }, finish_reason: 'stop' }] };
const model = createServer((_, response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(`data: ${JSON.stringify(answer)}\n\ndata: [DONE]\n\n`);
});
await new Promise<void>((resolve) => model.listen(0, '127.0.0.1', resolve));
after(() => model.close());
const address = model.address();
process.env.OPENAI_BASE_URL = `http://127.0.0.1:${typeof address === 'object' ? address?.port : address}/v1`;
const { default: agent } = await import('./agent.ts');

test('answers with what the model says', async () => {
  const { state, answer } = await runTurn(agent, 'What is the answer?');
  assert.deepEqual([state, answer], ['TASK_STATE_COMPLETED', 'It is 42.']);
});
