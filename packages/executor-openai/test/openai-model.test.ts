import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ModelEndpoint, refusal, type Script, whole } from '../../../tests/support/model-endpoint.ts';
import { openAiModel } from '../src/index.ts';

async function ask<T>(script: Script, use: (model: ReturnType<typeof openAiModel>) => Promise<T>) {
  await using endpoint = new ModelEndpoint(script);
  const result = await use(openAiModel({ model: 'm', baseURL: await endpoint.start() }));
  return { result, asked: endpoint.requests[0]?.body };
}

const { signal } = new AbortController();

describe('a model that an agent calls within a turn', () => {
  it('returns a text', async () => {
    const question = { system: 'Be brief.', prompt: 'How are you?', signal };
    const { result, asked } = await ask(whole({ content: 'Fine' }), (model) => model.text(question));
    expect(result).toBe('Fine');
    expect(asked?.messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'How are you?' },
    ]);
  });

  it('returns a value of the given schema', async () => {
    const format = { name: 'sum', schema: z.object({ sum: z.number() }) };
    const { result, asked } = await ask(whole({ content: '{"sum":3}' }), (model) =>
      model.value(format, { prompt: '1+2?', signal }),
    );
    expect(result).toEqual({ sum: 3 });
    expect(asked?.response_format).toMatchObject({ type: 'json_schema', json_schema: { name: 'sum', strict: true } });
  });

  it('throws RetryableError or AgentError, like the executor', async () => {
    const format = { name: 'sum', schema: z.object({ sum: z.number() }) };
    await expect(ask(refusal(429, 'x'), (model) => model.text({ prompt: '?', signal }))).rejects.toThrow(
      expect.objectContaining({ name: 'RetryableError' }),
    );
    await expect(
      ask(whole({ content: '{}' }), (model) => model.value(format, { prompt: '?', signal })),
    ).rejects.toThrow(expect.objectContaining({ name: 'RetryableError' }));
    await expect(ask(refusal(401, 'x'), (model) => model.text({ prompt: '?', signal }))).rejects.toThrow(
      expect.objectContaining({ name: 'AgentError' }),
    );
  });

  it('is aborted when the turn ends', async () => {
    const turn = new AbortController();
    const asking = ask(
      () => turn.abort(new Error('canceled')),
      (model) => model.text({ prompt: '?', signal: turn.signal }),
    );
    await expect(asking).rejects.toThrow('canceled');
  });
});
