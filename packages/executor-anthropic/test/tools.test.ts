import { describe, expect, it } from 'vitest';
import { report } from '../../../tests/support/model-asker.ts';
import { answer, inTurn } from '../../../tests/support/model-endpoint.ts';
import { askWithTools } from './ask.ts';
import { answers, calls, redacted, says, text, thoughts } from './messages.ts';

const funghi = calls('c1', 'order_pizza', '{"pizza":"Funghi","size":30}');
const rome = calls('c2', 'weather', '{"city":"Rome"}');

/** The blocks of the last message of a request. */
const contentOf = (body: { messages: { content: unknown }[] } | undefined, at = -1) => body?.messages.at(at)?.content;

describe('the tools of a model', () => {
  it('run when the model calls them, and thoughts go back with the calls', async () => {
    const {
      answer: said,
      orders,
      asked,
    } = await askWithTools(
      inTurn(answers([thoughts, redacted, text(), funghi, rome], 'tool_use'), says(['Coming up'])),
    );
    expect([said, orders]).toEqual(['Coming up', [{ pizza: 'Funghi', size: 30 }]]);
    expect(asked[0]?.tools).toMatchObject([
      { name: 'order_pizza', description: 'Orders a pizza.', input_schema: { required: ['pizza', 'size'] } },
      { name: 'weather' },
    ]);
    expect(contentOf(asked[1], -2)).toEqual([
      { type: 'thinking', thinking: 'A pizza, then.', signature: 'signed' },
      { type: 'redacted_thinking', data: 'secret' },
      { type: 'tool_use', id: 'c1', name: 'order_pizza', input: { pizza: 'Funghi', size: 30 } },
      { type: 'tool_use', id: 'c2', name: 'weather', input: { city: 'Rome' } },
    ]);
    expect(contentOf(asked[1])).toEqual([
      { type: 'tool_result', tool_use_id: 'c1', content: '{"number":1,"size":"30.0"}' },
      { type: 'tool_result', tool_use_id: 'c2', content: 'Sunny in ROME' },
    ]);
  });

  it.each([
    ['wrong arguments', '{"pizza":"Funghi"}', 'the arguments are wrong', { pizza: 'Funghi' }],
    ['arguments that are not JSON', '{"pizza":', 'the arguments are not JSON', { INVALID_JSON: '{"pizza":' }],
  ])('report an invalid call to the model: %s', async (_, json, problem, input) => {
    const { orders, asked } = await askWithTools(
      inTurn(answers([calls('c1', 'order_pizza', json)], 'tool_use'), says(['Sorry'])),
    );
    expect(orders).toEqual([]);
    expect(contentOf(asked[1], -2)).toMatchObject([{ input }]);
    expect(contentOf(asked[1])).toMatchObject([{ is_error: true, content: expect.stringContaining(problem) }]);
  });

  it('are disabled after maxToolRounds, so that the model must answer', async () => {
    const { answer: said, asked } = await askWithTools(
      inTurn(answers([funghi], 'tool_use'), answers([funghi], 'tool_use'), says(['Enough'])),
      { maxToolRounds: 2 },
    );
    expect(said).toBe('Enough');
    expect(asked.map((body) => body.tool_choice)).toEqual([undefined, undefined, { type: 'none' }]);
  });

  it('of Anthropic may pause the answer, which then goes on as the same text', async () => {
    const search = { block: { type: 'server_tool_use', id: 's1', name: 'web_search', input: {} }, deltas: [] };
    const paused = answers([text('First, '), search], 'pause_turn');
    const tools = [{ type: 'web_search_20250305', name: 'web_search' }];
    const { task, asked } = await askWithTools(inTurn(paused, says(['second.'])), { ...report, parameters: { tools } });
    expect(task.artifacts).toMatchObject([{ parts: [{ text: 'First, second.' }] }]);
    expect(contentOf(asked[1])).toMatchObject([
      { type: 'text', text: 'First, ' },
      { type: 'server_tool_use', id: 's1' },
    ]);
    expect(asked[0]?.tools).toHaveLength(3);
  });
});

it('a retried turn repeats neither finished tool calls nor answered requests', async () => {
  const overloaded = answer(529, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } });
  const {
    answer: said,
    orders,
    asked,
    task,
  } = await askWithTools(
    inTurn(answers([thoughts, text('One moment'), funghi], 'tool_use'), overloaded, says(['Done'])),
  );
  expect([said, orders.length, asked.length]).toEqual(['Done', 1, 3]);
  expect(asked[2]?.messages).toEqual(asked[1]?.messages);
  expect(task.history?.map(({ parts }) => parts[0]?.text)).toEqual(['A pizza, please', 'One moment', 'Done']);
});
