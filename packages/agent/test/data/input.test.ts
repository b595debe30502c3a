import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { agentThat } from '../../../../tests/support/agent-that.ts';
import { type DataSchema, defineAgent } from '../../src/index.ts';
import { runTurn } from '../../src/testing/index.ts';

const card = { name: 'Baker', description: 'Bakes.', version: '1.0.0', skills: [] };
const order = z.object({
  size: z.enum(['small', 'large']),
  number: z.number().int().min(1).default(1),
  code: z
    .string()
    .regex(/^[a-z]+$/)
    .optional(),
});
const baker = defineAgent({
  id: 'baker',
  card,
  input: order,
  execute: (turn) => {
    const { size, number } = turn.input;
    return number > 3 ? turn.requireInput('So many?') : turn.complete(`${number} ${size}`);
  },
});
const data = (value: unknown) => ({ data: value });

describe('the input of an agent with a schema', () => {
  it('is the data part of the message, as the schema parses it', async () => {
    expect((await runTurn(baker, data({ size: 'small' }))).answer).toBe('1 small');
    expect((await runTurn(baker, [{ text: 'Please' }, data({ size: 'large', number: 2 })])).answer).toBe('2 large');
  });

  it('rejects its task if it does not match, naming every wrong field, or if there is none', async () => {
    const { state, answer } = await runTurn(baker, data({ size: 'huge', code: 'A1' }));
    expect(state).toBe('TASK_STATE_REJECTED');
    expect(answer).toMatch(/^The input of this task is wrong: size: .*; code: /);
    const none =
      'The message that begins this task must have exactly one data part: the input that this agent works on.';
    expect((await runTurn(baker, '{"size":"small"}')).answer).toBe(none);
    expect((await runTurn(baker, [data({ size: 'small' }), data({ size: 'small' })])).answer).toBe(none);
  });

  it('is that of the first message in the later turns, whose messages may be texts', async () => {
    const asked = await runTurn(baker, data({ size: 'small', number: 4 }));
    expect((await asked.say('Yes')).answer).toBe('So many?');
  });

  it('is announced as JSON Schema, and the card accepts JSON and text', () => {
    expect(baker.inputSchema).toMatchObject({
      type: 'object',
      properties: { size: { enum: ['small', 'large'] }, number: { default: 1 } },
      required: ['size'],
    });
    expect(baker.card.defaultInputModes).toEqual(['application/json', 'text/plain']);
  });

  it('of a library without JSON Schema is checked all the same', async () => {
    const even: DataSchema<number> = {
      '~standard': {
        version: 1,
        vendor: 'ours',
        validate: (value) =>
          typeof value === 'number' && value % 2 === 0 ? { value } : { issues: [{ message: 'must be even' }] },
      },
    };
    const half = defineAgent({ id: 'half', card, input: even, execute: (turn) => turn.complete(`${turn.input / 2}`) });
    expect(half.inputSchema).toBeUndefined();
    expect((await runTurn(half, data(8))).answer).toBe('4');
    expect((await runTurn(half, data(7))).answer).toBe('The input of this task is wrong: must be even');
  });

  it.each<[string, DataSchema<unknown>, RegExp]>([
    ['has no form in JSON Schema', z.object({ at: z.date() }), /its input has no form in JSON Schema: .*Date/],
    ['is too long', z.enum(Array.from({ length: 9_000 }, (_, i) => `${i}`) as [string]), /characters of JSON Schema/],
  ])('that %s is refused in the definition', (_, input, why) => {
    expect(() => defineAgent({ id: 'odd', card, input, execute: (turn) => turn.complete() })).toThrow(why);
  });
});

it('the input of an agent without a schema is the data as it came', async () => {
  const agent = agentThat((turn) => turn.complete(JSON.stringify(turn.input ?? 'none')), {
    card: { ...card, defaultInputModes: ['application/json', 'text/plain'] },
  });
  expect((await runTurn(agent, data({ a: 1 }))).answer).toBe('{"a":1}');
  expect((await runTurn(agent, 'a text')).answer).toBe('"none"');
});
