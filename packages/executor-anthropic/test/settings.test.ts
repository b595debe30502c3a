import { expect, it } from 'vitest';
import { type AnthropicSettings, anthropicExecutor, anthropicModel } from '../src/index.ts';

const executor = (wrong: object) => () => anthropicExecutor({ model: 'm', ...wrong } as AnthropicSettings<unknown>);

it.each([
  ['no model', { model: undefined }, 'anthropicExecutor cannot be made: model is missing'],
  ['an address without http://', { baseURL: 'localhost:1234' }, 'baseURL is "localhost:1234" and must be a URL'],
  ['a client of something else', { client: {} }, "client must be a client of Anthropic's SDK"],
  ['a schema that is none', { structured: { name: 'a', schema: {} } }, 'structured.schema must be a schema of zod'],
])('a setting that is plainly wrong is named when the executor is made: %s', (_, wrong, text) => {
  expect(executor(wrong)).toThrow(text);
});

it('so it is for a model', () => {
  expect(() => anthropicModel({ model: '' })).toThrow('anthropicModel cannot be made: model must be a text');
});
