import { expect, it } from 'vitest';
import { type AiSettings, aiExecutor, aiModel } from '../src/index.ts';

const executor = (wrong: object) => () => aiExecutor({ model: 'openai/m', ...wrong } as AiSettings<unknown>);

it.each([
  ['no model', { model: undefined }, 'aiExecutor cannot be made: model is missing'],
  ['a model that is none', { model: {} }, "model must be a model of a provider's package for the AI SDK"],
  ['a schema that is none', { structured: { name: 'a', schema: {} } }, 'structured.schema must be a schema of zod'],
])('a setting that is plainly wrong is named when the executor is made: %s', (_, wrong, text) => {
  expect(executor(wrong)).toThrow(text);
});

it('so it is for a model', () => {
  expect(() => aiModel({ model: '' })).toThrow('aiModel cannot be made: model must be');
});
