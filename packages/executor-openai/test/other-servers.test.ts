import type { ServerResponse } from 'node:http';
import { runTurn } from '@switchyard/agent/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { agentThat } from '../../../tests/support/agent-that.ts';
import {
  answer,
  inTurn,
  ModelEndpoint,
  type Script,
  send,
  stream,
  streamChoices,
  whole,
} from '../../../tests/support/model-endpoint.ts';
import { openAiExecutor } from '../src/index.ts';
import { ThoughtFilter } from '../src/thoughts.ts';
import { ask, order, report } from './ask.ts';

const value = '{"pizza":"Funghi","size":30}';
const completed = 'TASK_STATE_COMPLETED';

describe('a structured answer', () => {
  it.each([null, ''])('is whole with the finish reason %j, because its JSON is', async (finish_reason) => {
    const script = answer(200, { choices: [{ message: { role: 'assistant', content: value }, finish_reason }] });
    expect(await ask(script, order)).toMatchObject({ state: completed, statusText: 'Funghi of 30 cm' });
  });

  it.each([
    ['in a fence', `\`\`\`json\n${value}\n\`\`\``],
    ['in a fence without a language, after a sentence', `Here it is:\n\`\`\`\n${value}\n\`\`\`\nEnjoy!`],
    ['after thoughts', `<think>\n{"pizza":1}\n</think>\n\n${value}`],
    ['after thoughts whose beginning the server left out', `A funghi?\n</think>\n${value}`],
    ['after thoughts, in a fence', `<thought>Hm</thought>\`\`\`json\n${value}\`\`\``],
  ])('may be %s', async (_, content) => {
    expect(await ask(whole({ content }), order)).toMatchObject({ state: completed, statusText: 'Funghi of 30 cm' });
  });

  it('keeps fences and tags that are in its strings', async () => {
    const content = JSON.stringify({ pizza: '```</think>```', size: 30 });
    expect((await ask(whole({ content }), order)).statusText).toBe('```</think>``` of 30 cm');
  });
});

describe('an answer with a finish reason', () => {
  it('that no known server sends is retried; the log says which setting allows it', async () => {
    const { result } = await ask(stream(['Hel'], 'paused'), report);
    expect(result).toMatchObject({
      kind: 'retry',
      error: { message: 'The answer of the model ended in an unknown way.' },
    });
    expect(result).toHaveProperty('error.cause.message', expect.stringMatching(/"paused".*wholeReasons/));
  });

  it('of its server is whole with the setting wholeReasons', async () => {
    const { state } = await ask(stream(['Hello'], 'paused'), { ...report, wholeReasons: ['paused'] });
    expect(state).toBe(completed);
  });
});

describe('a server', () => {
  it('that does not stream, although it was asked to, has its answer taken as a whole', async () => {
    const { state, artifacts } = await ask(whole({ content: 'Hello!' }), report);
    expect([state, artifacts?.[0]?.parts]).toEqual([completed, [{ text: 'Hello!', mediaType: 'text/markdown' }]]);
  });

  it('that streams, although it was not asked to, has its chunks joined', async () => {
    const { statusText } = await ask(stream([value.slice(0, 9), value.slice(9)]), order);
    expect(statusText).toBe('Funghi of 30 cm');
  });

  it('that answers with JSON of another form is no model: the cause has what it sent', async () => {
    for (const settings of [report, order]) {
      const { result } = await ask(answer(200, { hello: 'world' }), settings);
      expect(result).toMatchObject({
        kind: 'retry',
        error: {
          code: 'model-form',
          message: 'The model did not answer in the form of its API.',
          cause: { message: 'application/json: {"hello":"world"}' },
        },
      });
    }
  });

  it('that sends an error with status 200 is treated as if the status were its code', async () => {
    const busy = await ask(answer(200, { error: { code: 429, message: 'Slow down' } }));
    expect(busy.result).toMatchObject({
      kind: 'retry',
      error: { message: 'The model is receiving too many requests.' },
    });
    const spent = await ask(streamChoicesThen({ error: { code: 402, message: 'No credits' } }));
    expect(spent.statusText).toBe('The quota of the model is used up.');
    const unknown = await ask(answer(200, { error: 'model "m" not found' }), order);
    expect(unknown.result).toMatchObject({ kind: 'retry', error: { message: 'The model is not available.' } });
  });

  it('that sends nothing but comments is left after 64 MiB', async () => {
    const flood: Script = (response) => {
      send(response, ['Hel']);
      const comment = `: ${'x'.repeat(2 ** 20)}\n\n`;
      const write = (): void => {
        while (response.writable && response.write(comment));
      };
      response.on('drain', write);
      write();
    };
    const { state, statusText } = await ask(flood, report);
    expect([state, statusText]).toEqual(['TASK_STATE_FAILED', 'The answer of the model is too large.']);
  });

  it('that expects thoughts back with tool calls (DeepSeek) gets them', async () => {
    const call = { index: 0, id: 'c1', type: 'function', function: { name: 'now', arguments: '{}' } };
    const thinks = streamChoices([
      { delta: { reasoning_content: 'What time ' } },
      { delta: { reasoning_content: 'is it?', content: null } },
      { delta: { tool_calls: [call] }, finish_reason: 'tool_calls' },
    ]);
    await using endpoint = new ModelEndpoint(inTurn(thinks, stream(['Noon'])));
    const tools = { now: { description: 'The time.', parameters: z.object({}), run: () => '12:00' } };
    const execute = openAiExecutor({ model: 'm', baseURL: await endpoint.start(), tools });
    const { answer: said } = await runTurn(agentThat(execute), 'What time is it?');
    expect(said).toBe('Noon');
    const sentBack = endpoint.requests[1]?.body.messages.find(({ role }) => role === 'assistant');
    expect(sentBack).toMatchObject({ reasoning_content: 'What time is it?', tool_calls: [{ id: 'c1' }] });
  });
});

describe('the name of a tool', () => {
  it.each([
    ['comes once', ['order', '', '']],
    ['is repeated with each piece', ['order', 'order', 'order']],
    ['comes in pieces', ['or', 'der', '']],
    ['comes in pieces that grow', ['or', 'order', 'order']],
    ['comes after the first piece', ['', 'order', null]],
  ])('%s, and is the same', async (_, names) => {
    const args = ['{"n":', '1', '}'];
    const pieces = names.map((name, at) => ({
      delta: { tool_calls: [{ index: 0, ...(at === 0 && { id: 'c1' }), function: { name, arguments: args[at] } }] },
    }));
    const ran: unknown[] = [];
    const script = inTurn(streamChoices([...pieces, { delta: {}, finish_reason: 'tool_calls' }]), stream(['Done']));
    await using endpoint = new ModelEndpoint(script);
    const run = (given: unknown): number => ran.push(given);
    const tools = { order: { description: 'Orders.', parameters: z.object({ n: z.number() }), run } };
    const execute = openAiExecutor({ model: 'm', baseURL: await endpoint.start(), tools });
    expect((await runTurn(agentThat(execute), 'One')).state).toBe(completed);
    expect(ran).toEqual([{ n: 1 }]);
  });
});

describe('thoughts at the beginning of an answer', () => {
  const read = (text: string): string[] =>
    [1, 3, 1000].map((size) => {
      const filter = new ThoughtFilter();
      const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
      return pieces.map((piece) => filter.add(piece)).join('') + filter.end();
    });

  it.each([
    ['<think>Hm.</think>\n\nYes', 'Yes'],
    [' \n<thinking>a</think></thinking> Yes </think>', 'Yes </think>'],
    ['<think></think>', ''],
    ['<think>never ended', ''],
    ['  Yes <think>no</think>', '  Yes <think>no</think>'],
    ['<thin', '<thin'],
    ['<thinker>Yes</thinker>', '<thinker>Yes</thinker>'],
    ['\n \n', '\n \n'],
  ])('%j are left out: %j, whatever the pieces', (text, rest) => {
    expect(read(text)).toEqual([rest, rest, rest]);
  });
});

/** A stream that begins, and has this event in its middle. */
function streamChoicesThen(event: object): Script {
  return (response: ServerResponse) => {
    send(response, ['Hel']);
    response.end(`data: ${JSON.stringify(event)}\n\n`);
  };
}
