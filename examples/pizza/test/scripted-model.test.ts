import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ScriptedModel, startScriptedModel } from '../scripted-model.ts';

let server: ScriptedModel;
let client: OpenAI;

beforeAll(async () => {
  server = await startScriptedModel();
  client = new OpenAI({ baseURL: server.baseURL, apiKey: 'none', maxRetries: 0 });
});
afterAll(() => server.close());

const messages = [{ role: 'user', content: 'Anything with pineapple' } as const];

describe('the scripted model', () => {
  it('answers with text', async () => {
    const { choices } = await client.chat.completions.create({ model: 'm', messages });
    expect(choices[0]).toMatchObject({ message: { content: 'Hawaiian it is.' }, finish_reason: 'stop' });
  });

  it('answers in a structured format', async () => {
    const format = { type: 'json_schema', json_schema: { name: 'order', schema: {} } } as const;
    const { choices } = await client.chat.completions.create({ model: 'm', messages, response_format: format });
    expect(choices[0]?.message.content).toBe('{"pizza":"Hawaiian","question":""}');
  });

  it('streams its answer word by word', async () => {
    const chunks = await client.chat.completions.create({ model: 'm', messages, stream: true });
    const words: (string | null | undefined)[] = [];
    for await (const { choices } of chunks) words.push(choices[0]?.delta.content);
    expect(words).toEqual(['Hawaiian ', 'it ', 'is.', undefined]);
  });

  it('refuses a request that is not a chat completion', async () => {
    await expect(client.chat.completions.create({ model: 'm', messages: [{} as never] })).rejects.toMatchObject({
      status: 400,
    });
    await expect(client.models.list()).rejects.toMatchObject({ status: 404 });
  });
});
