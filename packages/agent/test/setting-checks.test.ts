import { expect, it } from 'vitest';
import { z } from 'zod';
import { modelExecutorChecks } from '../src/models/index.ts';
import { checkSettings, settingCheck } from '../src/runtime.ts';

const check = (given: unknown) => () => checkSettings('modelExecutor', given, modelExecutorChecks);
const tool = { description: 'Bakes.', parameters: z.object({}), run: () => 'done' };

it('accepts settings that are right, and those that are not set', () => {
  const structured = { name: 'order', schema: z.object({}), toOutcome: undefined };
  expect(check({})).not.toThrow();
  expect(
    check({ system: '', historyLength: Number.POSITIVE_INFINITY, files: [], tools: { bake: tool } }),
  ).not.toThrow();
  expect(check({ close: () => undefined })).not.toThrow();
  expect(check({ structured, artifact: undefined, maxFileBytes: 0 })).not.toThrow();
});

it.each([
  ['no settings', undefined, 'its settings are no object'],
  ['a schema that is none', { structured: { name: 'a', schema: {} } }, 'structured.schema must be a schema of zod'],
  ['no schema', { structured: { name: 'a' } }, 'structured.schema is missing'],
  ['a name with a space', { structured: { name: 'a b', schema: z.object({}) } }, 'structured.name must be letters'],
  ['a tool without run', { tools: { bake: { ...tool, run: undefined } } }, 'tools.bake.run is missing'],
  ['a tool that is none', { tools: { bake: null } }, 'tools.bake must be an object'],
  [
    'a tool with a JSON Schema',
    { tools: { bake: { ...tool, parameters: { type: 'object' } } } },
    'bake.parameters must',
  ],
  ['a tool with a wrong name', { tools: { 'bake!': tool } }, 'the name of tools.bake! must be letters'],
  ['NaN', { historyLength: Number.NaN }, 'historyLength is NaN and must be a number from 0 on, or Infinity'],
  ['a text for a list', { files: 'image/*' }, 'files must be a list'],
  ['a list with a gap', { files: ['image/*', undefined] }, 'files[1] is missing'],
  ['a misspelt name', { artifact: { nam: 'Report' } }, 'artifact.nam is unknown (did you mean name?)'],
  ['null', { artifact: null }, 'artifact must be an object'],
])('names what is wrong: %s', (_, given, problem) => {
  expect(check(given)).toThrow(`modelExecutor cannot be made: `);
  expect(check(given)).toThrow(problem);
});

it('names all that is wrong at once', () => {
  expect(check({ sistem: 'You bake.', maxToolRounds: 'many', files: [5] })).toThrow(
    'modelExecutor cannot be made: sistem is unknown (did you mean system?); files[0] must be a text that is not ' +
      'empty; maxToolRounds is "many" and must be a number from 0 on, or Infinity',
  );
});

it('shows no user name and password of a URL', () => {
  const given = { baseURL: 'ada:secret@models.example/v1' };
  expect(() => checkSettings('x', given, { baseURL: settingCheck.httpUrl })).toThrow(
    'baseURL is "***@models.example/v1"',
  );
});
