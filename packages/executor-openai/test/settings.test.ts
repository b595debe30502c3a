import { expect, it } from 'vitest';
import { z } from 'zod';
import { type OpenAiSettings, openAiExecutor, openAiModel } from '../src/index.ts';

const executor = (wrong: object) => () => openAiExecutor({ model: 'm', ...wrong } as OpenAiSettings<unknown>);

it.each([
  ['no model', { model: undefined }, 'openAiExecutor cannot be made: model is missing'],
  ['an empty key', { apiKey: '' }, 'apiKey must be a text that is not empty'],
  ['an address without http://', { baseURL: 'localhost:1234/v1' }, 'baseURL is "localhost:1234/v1" and must be a URL'],
  ['a misspelt name', { baseUrl: 'http://x' }, 'baseUrl is unknown (did you mean baseURL?)'],
  ['a time as a text', { timeoutMs: '5' }, 'timeoutMs is "5" and must be'],
  ['a schema that is none', { structured: { name: 'a', schema: {} } }, 'structured.schema must be a schema of zod'],
  [
    'a schema of no object',
    { structured: { name: 'a', schema: z.string() } },
    "structured.schema must be a schema of zod that the model can follow: Root schema must have type: 'object'",
  ],
  [
    'dates for a tool',
    { tools: { bake: { description: '', parameters: z.object({ at: z.date() }), run: () => '' } } },
    'tools.bake.parameters must be a schema of zod that the model can follow',
  ],
])('a setting that is plainly wrong is named when the executor is made: %s', (_, wrong, text) => {
  expect(executor(wrong)).toThrow(text);
});

it('so it is for a model', () => {
  expect(() => openAiModel({ model: 'm', baseURL: 'localhost:1/v1' })).toThrow(
    'openAiModel cannot be made: baseURL is',
  );
});
