import type { RunTurnOptions } from '@switchyard/agent/testing';
import { runTurn } from '@switchyard/agent/testing';
import { type OpenAiSettings, openAiExecutor } from '@switchyard/executor-openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { agentThat } from '../support/agent-that.ts';
import { Chance, firstSeed, streams } from './support/chance.ts';
import type { Habits, ModelAnswer } from './support/model-habits.ts';
import { providers } from './support/model-providers.ts';
import { type ModelScript, ModelServer } from './support/model-server.ts';

let server: ModelServer;
beforeAll(async () => {
  server = await ModelServer.start();
});
afterAll(() => server[Symbol.asyncDispose]());

const orderSchema = z.object({ pizza: z.string(), size: z.number() });
const text = 'Zwei Pizzen 🍕🍕 für हिन्दी: "gut",\n\tsofort.\\';
const thoughts = 'The user wants "pizza". <b>Two</b>?\nI say so.';
const calls = [
  { name: 'order', args: { pizza: 'Fünghi 🍄', size: 30 } },
  { name: 'order', args: { pizza: 'Mar"gherita', size: 28 } },
  { name: 'weather', args: { city: 'Rome' } },
];

/** Runs a turn with a model that follows the script, and with two tools. */
async function ask(script: ModelScript, form: object = {}, options: RunTurnOptions = {}) {
  server.follow(script);
  const ran: unknown[] = [];
  const settings = {
    model: 'm',
    baseURL: server.baseURL,
    ...form,
    tools: {
      order: {
        description: 'Orders.',
        parameters: orderSchema,
        run: (order: unknown) => ran.push({ name: 'order', args: order }),
      },
      weather: {
        description: 'Says how the weather is.',
        parameters: z.object({ city: z.string() }),
        run: (args: unknown) => ran.push({ name: 'weather', args }),
      },
    },
  };
  const { task, result } = await runTurn(
    agentThat(openAiExecutor(settings as OpenAiSettings<unknown>)),
    'A pizza, please',
    options,
  );
  const [artifact] = task.artifacts ?? [];
  return { state: task.status.state, said: task.status.message?.parts[0]?.text, part: artifact?.parts[0], ran, result };
}

const structured = { structured: { name: 'order', schema: orderSchema } };
const report = { artifact: { name: 'Report' } };
const value: ModelAnswer = { text: '{"pizza":"Funghi 🍄","size":30}' };
const ofValue = { data: { pizza: 'Funghi 🍄', size: 30 }, mediaType: 'application/json' };
const done = 'TASK_STATE_COMPLETED';

describe.each(providers)('an answer as $name sends it', ({ habits }) => {
  it('completes the task with its text, without the thoughts', async () => {
    const { state, said } = await ask({ answers: [{ text, thoughts }], habits });
    expect([state, said]).toEqual([done, text]);
  });

  it('is streamed into an artifact', async () => {
    const { state, part } = await ask({ answers: [{ text, thoughts }], habits }, report);
    expect([state, part?.text]).toEqual([done, text]);
  });

  it('runs its tools, each call once', async () => {
    const { state, said, ran } = await ask({ answers: [{ text: '', thoughts, calls }, { text }], habits });
    expect([state, said, ran]).toEqual([done, text, calls]);
    const [asked] = server.asked.slice(1);
    expect(asked?.messages.filter(({ role }) => role === 'tool')).toHaveLength(3);
  });

  it('gives a value of the schema', async () => {
    const { state, part } = await ask({ answers: [{ ...value, thoughts }], habits }, structured);
    expect([state, part]).toEqual([done, ofValue]);
  });

  it('is not whole when it is cut off, or when the server fails', async () => {
    const ended = async (endReason: string) => {
      const { hasNoReason: _, interimReason: __, ...others } = habits;
      return (await ask({ answers: [{ text }], habits: { ...others, endReason } }, report)).result;
    };
    expect(await ended('length')).toMatchObject({ kind: 'failed', error: { name: 'AgentError' } });
    expect(await ended('max_tokens')).toMatchObject({ kind: 'failed', error: { name: 'AgentError' } });
    expect(await ended('error')).toMatchObject({ kind: 'failed', error: { name: 'RetryableError' } });
  });
});

const outcomes = {
  message: { form: {}, said: text },
  tools: { form: {}, said: text, ran: calls },
  artifact: { form: report, part: { text } },
  value: { form: structured, part: ofValue },
};

describe('an answer in an odd form of a stream', () => {
  it(`has the same result (${streams} streams from seed ${firstSeed})`, async () => {
    for (let seed = firstSeed; seed < firstSeed + streams; seed++) {
      const chance = new Chance(seed);
      const kind = chance.pick(['message', 'tools', 'artifact', 'value'] as const);
      const { form, ...outcome } = outcomes[kind];
      const habits = chance.oneIn(2) ? chance.pick(someProviders).habits : anyHabits(chance);
      const last: ModelAnswer = { ...(kind === 'value' ? value : { text }), thoughts };
      const answers = kind === 'tools' ? [{ text: '', thoughts, calls }, last] : [last];
      const { result: _, ...got } = await ask({ answers, habits, oddSeed: seed }, form);
      expect({ seed, habits, ...got }).toEqual({ seed, habits, state: done, ran: [], ...outcome });
    }
  });
});

const [first, ...others] = providers;
const someProviders = [first ?? { name: '', habits: {} }, ...others] as const;

/** Habits that no known server has together. */
function anyHabits(chance: Chance): Habits {
  const some = <Value>(values: readonly [Value, ...Value[]]): Value | undefined =>
    chance.oneIn(2) ? chance.pick(values) : undefined;
  const callIndex = some(['zero', 'absent', 'null'] as const);
  const args = some(['whole', 'object'] as const);
  // Without an index and ids, nothing but whole arguments tells two calls apart.
  const callId =
    callIndex && !args ? some(['every piece'] as const) : some(['every piece', 'empty', 'absent'] as const);
  const given = {
    repeatsRole: some([true] as const),
    interimReason: some(['', 'absent', 'stop'] as const),
    endReason: some(['eos', 'STOP', 'end_turn'] as const),
    callReason: some(['stop', 'tool_use'] as const),
    endsWithText: some([true] as const),
    endsTwice: some([true] as const),
    usage: some(['own chunk', 'every chunk', 'none'] as const),
    thoughts: some(['reasoning_content', 'reasoning', 'parts', '<think>'] as const),
    callIndex,
    callId,
    callName:
      callIndex && callId !== 'every piece'
        ? undefined
        : some(['every piece', 'empty later', 'in two pieces'] as const),
    args,
    callsTogether: args && some([true] as const),
    hasNoDone: some([true] as const),
  };
  return Object.fromEntries(Object.entries(given).filter(([, each]) => each !== undefined));
}
