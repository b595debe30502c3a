import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { executeTurn } from '@switchyard/agent/runtime';
import { MemoryPort, type MemoryTurn, type RunTurnOptions, runTurn } from '@switchyard/agent/testing';
import { z } from 'zod';
import { agentThat } from '../../../tests/support/agent-that.ts';
import { ModelEndpoint, type Script } from '../../../tests/support/model-endpoint.ts';
import { type AiSettings, aiExecutor } from '../src/index.ts';

export const apiKey = 'sk-very-secret';

const orderSchema = z.object({ pizza: z.string(), size: z.number() });

type WithoutModel<Each> = Each extends unknown ? Omit<Each, 'model'> : never;
type Settings = WithoutModel<AiSettings<z.infer<typeof orderSchema>>>;

export const report: Settings = { artifact: { name: 'Report' } };
export const structured: Settings = { structured: { name: 'order', schema: orderSchema } };

/** A model of a provider of the SDK, at this address. */
export function modelAt(baseURL: string) {
  const settings = { name: 'shop', baseURL, apiKey, includeUsage: true, supportsStructuredOutputs: true };
  return createOpenAICompatible(settings)('m');
}

/** Runs one attempt at a turn, with a model that follows the script. */
export async function ask(script: Script, settings: Settings = {}, turn: Partial<MemoryTurn> = {}) {
  await using endpoint = new ModelEndpoint(script);
  const port = new MemoryPort({ message: 'Hello', ...turn });
  const result = await converse(await endpoint.start(), port, settings);
  const { status, artifacts } = port.current;
  const said = status.message?.parts[0]?.text;
  const { requests } = endpoint;
  return { result, port, state: status.state, said, artifacts, requests, body: requests[0]?.body };
}

export function converse(baseURL: string, port: MemoryPort, settings: Settings = {}) {
  const execute = aiExecutor({ model: modelAt(baseURL), apiKey, ...settings });
  return executeTurn(agentThat(execute), port, { graceMs: 1000 });
}

/** Runs a turn with two tools, and all its attempts. */
export async function askWithTools(script: Script, settings: object = {}, options: RunTurnOptions = {}) {
  await using endpoint = new ModelEndpoint(script);
  const orders: unknown[] = [];
  const execute = aiExecutor({
    model: modelAt(await endpoint.start()),
    ...settings,
    tools: {
      order_pizza: {
        description: 'Orders a pizza.',
        parameters: orderSchema,
        run: (order) => ({ number: orders.push(order), size: order.size.toFixed(1) }),
      },
      weather: {
        description: 'Says how the weather is.',
        parameters: z.object({ city: z.string() }),
        run: ({ city }) => `Sunny in ${city.toUpperCase()}`,
      },
    },
  });
  const exchange = await runTurn(agentThat(execute), 'A pizza, please', options);
  const asked = endpoint.requests.map(({ body }) => body);
  return { ...exchange, state: exchange.task.status.state, orders, asked };
}
