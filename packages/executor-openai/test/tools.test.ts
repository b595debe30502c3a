import { AgentError, RetryableError, type TurnEvent } from '@switchyard/agent';
import { executeTurn } from '@switchyard/agent/runtime';
import { MemoryPort, type RunTurnOptions, runTurn } from '@switchyard/agent/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { agentThat } from '../../../tests/support/agent-that.ts';
import {
  answer,
  callTools,
  inTurn,
  ModelEndpoint,
  type Script,
  stream,
  streamChoices,
  whole,
} from '../../../tests/support/model-endpoint.ts';
import { openAiExecutor, ToolError } from '../src/index.ts';
import { apiKey } from './ask.ts';

interface Bench {
  readonly orders: unknown[];
  readonly fails?: (order: { pizza: string; size: number }) => void;
}

/** An executor with two tools and further settings. */
function executor(baseURL: string, { orders, fails }: Bench, settings: object = {}) {
  return openAiExecutor({
    model: 'm',
    baseURL,
    apiKey,
    ...settings,
    tools: {
      order_pizza: {
        description: 'Orders a pizza.',
        parameters: z.object({ pizza: z.string(), size: z.number() }),
        run(order) {
          fails?.(order);
          orders.push(order);
          return { number: orders.length, size: order.size.toFixed(1) };
        },
      },
      weather: {
        description: 'Says how the weather is.',
        parameters: z.object({ city: z.string() }),
        run: ({ city }) => `Sunny in ${city.toUpperCase()}`,
      },
    },
  });
}

async function ask(script: Script, settings: object = {}, bench: Partial<Bench> & RunTurnOptions = {}) {
  await using endpoint = new ModelEndpoint(script);
  const orders: unknown[] = [];
  const { fails, ...options } = bench;
  const execute = executor(await endpoint.start(), { orders, ...(fails && { fails }) }, settings);
  const exchange = await runTurn(agentThat(execute), 'A pizza, please', options);
  const asked = endpoint.requests.map(({ body }) => body);
  return { ...exchange, orders, asked, results: asked.at(-1)?.messages.filter(({ role }) => role === 'tool') };
}

const funghi = { id: 'c1', name: 'order_pizza', args: '{"pizza":"Funghi","size":30}' };
const rome = { id: 'c2', name: 'weather', args: '{"city":"Rome"}' };

describe('the tools of a model', () => {
  it('are described to the model with their schemas', async () => {
    const { asked } = await ask(stream(['ok']));
    expect(asked[0]?.tools).toMatchObject([
      {
        type: 'function',
        function: {
          name: 'order_pizza',
          description: 'Orders a pizza.',
          strict: true,
          parameters: { type: 'object', required: ['pizza', 'size'], additionalProperties: false },
        },
      },
      { function: { name: 'weather' } },
    ]);
  });

  it('run when the model calls them; the model receives their results', async () => {
    const { answer, orders, asked, results } = await ask(inTurn(callTools([funghi, rome]), stream(['Coming ', 'up'])));
    expect(answer).toBe('Coming up');
    expect(orders).toEqual([{ pizza: 'Funghi', size: 30 }]);
    expect(asked).toHaveLength(2);
    expect(asked[1]?.messages.at(-3)).toMatchObject({
      role: 'assistant',
      tool_calls: [{ id: 'c1', function: { name: 'order_pizza', arguments: funghi.args } }, { id: 'c2' }],
    });
    expect(results).toMatchObject([
      { tool_call_id: 'c1', content: '{"number":1,"size":"30.0"}' },
      { tool_call_id: 'c2', content: 'Sunny in ROME' },
    ]);
  });

  it('can be called before a structured answer', async () => {
    const call = { id: 'c1', type: 'function', function: { name: 'weather', arguments: rome.args } };
    const structured = { name: 'report', schema: z.object({ sunny: z.boolean() }) };
    const { task } = await ask(
      inTurn(whole({ tool_calls: [call] }, 'tool_calls'), whole({ content: '{"sunny":true}' })),
      { structured },
    );
    expect(task.artifacts).toMatchObject([
      { name: 'report', parts: [{ data: { sunny: true }, mediaType: 'application/json' }] },
    ]);
  });

  it('can be called before an answer in an artifact, which contains the last answer only', async () => {
    const script = inTurn(callTools([rome], ['Let me ', 'look.']), stream(['# Weather', '\nSunny']));
    const { task } = await ask(script, { artifact: { name: 'Report' } });
    expect(task.artifacts).toMatchObject([{ name: 'Report', parts: [{ text: '# Weather\nSunny' }] }]);
    expect(task.history?.map(({ parts }) => parts[0]?.text)).toEqual(['A pizza, please', 'Let me look.']);
  });

  it.each([
    ['wrong arguments', { ...funghi, args: '{"pizza":"Funghi"}' }, 'Error: the arguments are wrong'],
    ['arguments that are not JSON', { ...funghi, args: '{"pizza":' }, 'Error: the arguments are not JSON'],
    ['an unknown tool', { ...funghi, name: 'toString' }, 'Error: there is no tool "toString".'],
  ])('report an invalid call to the model: %s', async (_, call, text) => {
    const { results, orders, answer } = await ask(inTurn(callTools([call]), stream(['Sorry'])));
    expect([answer, orders]).toEqual(['Sorry', []]);
    expect(results?.[0]?.content).toContain(text);
  });

  it('can report a failure to the model, which may call a tool again', async () => {
    const fails = ({ pizza }: { pizza: string }) => {
      if (pizza === 'Funghi') throw new ToolError('no mushrooms today');
    };
    const other = { ...funghi, id: 'c3', args: '{"pizza":"Salami","size":30}' };
    const { orders, results } = await ask(
      inTurn(callTools([funghi]), callTools([other]), stream(['ok'])),
      {},
      { fails },
    );
    expect(orders).toMatchObject([{ pizza: 'Salami' }]);
    expect(results).toMatchObject([{ content: 'Error: no mushrooms today' }, {}]);
  });

  it('can fail the task with an AgentError', async () => {
    const fails = () => {
      throw new AgentError('The kitchen is closed.');
    };
    const { answer, task } = await ask(callTools([funghi]), {}, { fails });
    expect([task.status.state, answer]).toEqual(['TASK_STATE_FAILED', 'The kitchen is closed.']);
  });

  it('are disabled after maxToolRounds, so that the model must answer', async () => {
    const { answer, asked, orders } = await ask(inTurn(callTools([funghi]), callTools([funghi]), stream(['Enough'])), {
      maxToolRounds: 2,
    });
    expect([answer, orders.length]).toEqual(['Enough', 2]);
    expect(asked.map((body) => body.tool_choice)).toEqual([undefined, undefined, 'none']);
  });

  it('fail the task if the model calls them after maxToolRounds', async () => {
    const { answer, orders } = await ask(callTools([funghi]), { maxToolRounds: 1 });
    expect([answer, orders.length]).toEqual([
      'The model did not answer within its limit of rounds of tool calls (1).',
      1,
    ]);
  });

  it('fail the task with what was wrong with the last calls, for operators', async () => {
    const calls = [
      { ...funghi, args: '{"pizza": "Fun' },
      { name: 'fly', args: '{}' },
    ];
    const { result } = await ask(callTools(calls), { maxToolRounds: 1 });
    const { cause } = Object(result).error;
    expect(cause.message).toBe(
      `${funghi.name}: Error: the arguments are not JSON; fly: Error: there is no tool "fly".`,
    );
  });

  it('get a call id if the server sends none', async () => {
    const { results } = await ask(inTurn(callTools([{ name: 'weather', args: rome.args }]), stream(['ok'])));
    expect(results).toMatchObject([{ tool_call_id: 'call-1' }]);
  });

  it.each([
    ['gives all of them the index 0, as Ollama does', { index: 0 }],
    ['gives them no index, as Gemini does', {}],
  ])('are told apart by their ids if the server %s', async (_, index) => {
    const chunk = (call: object) => ({ delta: { tool_calls: [{ ...index, ...call }] }, finish_reason: null });
    const script = streamChoices([
      chunk({ id: 'c1', function: { name: 'order_pizza', arguments: funghi.args.slice(0, 5) } }),
      chunk({ id: '', function: { arguments: funghi.args.slice(5) } }),
      chunk({ id: 'c2', function: { name: 'weather', arguments: rome.args } }),
      { delta: {}, finish_reason: 'stop' },
    ]);
    const { state, orders, results } = await ask(inTurn(script, stream(['ok'])));
    expect([state, orders]).toEqual(['TASK_STATE_COMPLETED', [{ pizza: 'Funghi', size: 30 }]]);
    expect(results).toMatchObject([{ tool_call_id: 'c1' }, { tool_call_id: 'c2', content: 'Sunny in ROME' }]);
  });

  it.each([true, false])(
    'are sent back with extra_content, in which Gemini signs them (stream: %s)',
    async (streams) => {
      const extra_content = { google: { thought_signature: 'signed' } };
      const call = { id: 'c1', type: 'function', function: { name: 'weather', arguments: rome.args }, extra_content };
      const script = streams
        ? streamChoices([{ delta: { tool_calls: [call] }, finish_reason: 'stop' }])
        : whole({ tool_calls: [call] }, 'tool_calls');
      const settings = streams ? {} : { structured: { name: 'weather', schema: z.object({ sunny: z.boolean() }) } };
      const { asked } = await ask(
        inTurn(script, streams ? stream(['ok']) : whole({ content: '{"sunny":true}' })),
        settings,
      );
      expect(asked.at(-1)?.messages.at(-2)).toMatchObject({ role: 'assistant', tool_calls: [call] });
    },
  );
});

describe('a retried turn', () => {
  it('repeats neither finished tool calls nor answered requests to the model', async () => {
    const {
      answer: text,
      orders,
      asked,
      task,
    } = await ask(inTurn(callTools([funghi], ['One moment']), answer(503, '<html>Down</html>'), stream(['Done'])));
    expect([text, orders.length, asked.length]).toEqual(['Done', 1, 3]);
    expect(asked[2]?.messages).toEqual(asked[1]?.messages);
    expect(task.history?.map(({ parts }) => parts[0]?.text)).toEqual(['A pizza, please', 'One moment', 'Done']);
  });

  it('repeats failed tool calls', async () => {
    let tries = 0;
    const fails = () => {
      if (++tries === 1) throw new RetryableError('The kitchen does not answer.');
    };
    const { orders, asked } = await ask(inTurn(callTools([funghi, rome]), stream(['Done'])), {}, { fails });
    expect([tries, orders.length, asked.length]).toEqual([2, 1, 2]);
  });

  it('goes on without a file that was deleted after the model had read it', async () => {
    await using endpoint = new ModelEndpoint(inTurn(callTools([funghi]), stream(['Done'])));
    let tries = 0;
    const fails = () => {
      if (++tries === 1) throw new RetryableError('The kitchen does not answer.');
    };
    const execute = executor(await endpoint.start(), { orders: [], fails });
    const url = 'https://files.example/menu.pdf';
    const message = { url, filename: 'menu.pdf', mediaType: 'application/pdf' };
    const first = new MemoryPort({ message, files: { [url]: 'pdf' } });
    expect((await executeTurn(agentThat(execute), first)).kind).toBe('retry');
    first.world.files.delete(url);
    const again = new MemoryPort({ ...first.input, attempt: 2, world: first.world });
    await executeTurn(agentThat(execute), again);
    expect(again.current.status.message?.parts).toEqual([{ text: 'Done' }]);
    expect(JSON.stringify(endpoint.requests[1]?.body.messages)).toContain('There is no file');
  });

  it('publishes the same last answer again without another request', async () => {
    await using endpoint = new ModelEndpoint(inTurn(callTools([rome]), stream(['# ', 'Sunny']), stream(['# Rain'])));
    const execute = executor(await endpoint.start(), { orders: [] }, { artifact: { name: 'Report' } });
    const failing = new (class extends MemoryPort {
      override async publish(event: TurnEvent): Promise<void> {
        if (event.kind === 'artifact' && event.lastChunk) throw new Error('Redis is away');
        return super.publish(event);
      }
    })({ message: 'Report' });
    expect((await executeTurn(agentThat(execute), failing)).kind).toBe('retry');
    const again = new MemoryPort({ ...failing.input, attempt: 2, world: failing.world });
    await executeTurn(agentThat(execute), again);
    expect(again.current.artifacts?.[0]?.parts).toEqual([{ text: '# Sunny' }]);
    expect(endpoint.requests).toHaveLength(2);
  });

  it('requests an answer again that did not match the schema', async () => {
    const structured = { name: 'report', schema: z.object({ sunny: z.boolean() }) };
    const { task, asked } = await ask(inTurn(whole({ content: '{}' }), whole({ content: '{"sunny":true}' })), {
      structured,
    });
    expect([task.status.state, asked.length]).toEqual(['TASK_STATE_COMPLETED', 2]);
  });
});
