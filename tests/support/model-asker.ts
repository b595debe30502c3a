import type { Content, Execute, Middleware, Turn } from '@switchyard/agent';
import { executeTurn } from '@switchyard/agent/runtime';
import { MemoryPort, type MemoryTurn, type RunTurnOptions, runTurn, type TestedTurn } from '@switchyard/agent/testing';
import { z } from 'zod';
import { agentThat } from './agent-that.ts';
import { ModelEndpoint, type Script } from './model-endpoint.ts';

const orderSchema = z.object({ pizza: z.string(), size: z.number() });

/** Settings for an answer that is streamed into an artifact, and for one of a schema. */
export const report = { artifact: { name: 'Report' } };
export const structured = { structured: { name: 'order', schema: orderSchema } };

/** Middleware that notes the names of the steps that run. */
export function noteSteps() {
  const steps: string[] = [];
  const aroundStep: Middleware['aroundStep'] = (_, { name }, next) => {
    steps.push(name);
    return next();
  };
  return { steps, use: [{ aroundStep }] };
}

const card = {
  ...{ name: 'Clerk', description: 'Takes orders.', version: '1.0.0', skills: [] },
  defaultInputModes: ['*/*'],
};

interface ApprovalOptions extends RunTurnOptions {
  readonly message?: Content;
  readonly whileWaiting?: (waiting: TestedTurn) => void;
}

/** Runs turns of an executor, with a model at a scripted server. */
export function modelAsker(executorAt: (baseURL: string, settings: object) => Execute) {
  const converse = (baseURL: string, port: MemoryPort, settings: object = {}) =>
    executeTurn(agentThat(executorAt(baseURL, settings)), port, { graceMs: 1000 });

  /** One attempt at a turn. */
  async function ask(script: Script, settings: object = {}, turn: Partial<MemoryTurn> = {}) {
    await using endpoint = new ModelEndpoint(script);
    const port = new MemoryPort({ message: 'Hello', ...turn });
    const result = await converse(await endpoint.start(), port, settings);
    const { status, artifacts } = port.current;
    const said = status.message?.parts[0]?.text;
    const { requests } = endpoint;
    return { result, port, state: status.state, said, artifacts, requests, body: requests[0]?.body };
  }

  /** A turn with two tools, and all its attempts. */
  async function askWithTools(script: Script, settings: object = {}, options: RunTurnOptions = {}) {
    await using endpoint = new ModelEndpoint(script);
    const orders: unknown[] = [];
    const tools = {
      order_pizza: {
        description: 'Orders a pizza.',
        parameters: orderSchema,
        run: (order: z.output<typeof orderSchema>) => ({ number: orders.push(order), size: order.size.toFixed(1) }),
      },
      weather: {
        description: 'Says how the weather is.',
        parameters: z.object({ city: z.string() }),
        run: ({ city }: { city: string }) => `Sunny in ${city.toUpperCase()}`,
      },
    };
    const execute = executorAt(await endpoint.start(), { ...settings, tools });
    const exchange = await runTurn(agentThat(execute), 'A pizza, please', options);
    const asked = endpoint.requests.map(({ body }) => body);
    return { ...exchange, state: exchange.task.status.state, orders, asked };
  }

  /** A turn whose answer waits for an approval before it becomes the outcome. */
  async function askForApproval(script: Script, options: ApprovalOptions = {}) {
    await using endpoint = new ModelEndpoint(script);
    const { steps, use } = noteSteps();
    const toOutcome = async ({ pizza, size }: z.output<typeof orderSchema>, turn: Turn) => {
      await turn.working(`Shall we order ${pizza}?`);
      await turn.waitFor('approval');
      return turn.complete(`${pizza} of ${size} cm`);
    };
    const settings = { structured: { ...structured.structured, toOutcome } };
    const { message = 'A pizza, please', whileWaiting, ...given } = options;
    const agent = agentThat(executorAt(await endpoint.start(), settings), { use, card });
    const waiting = await runTurn(agent, message, given);
    whileWaiting?.(waiting);
    const { state, answer, used } = waiting.waits.length > 0 ? await waiting.give('approval') : waiting;
    return { waiting, state, answer, used, steps, requests: endpoint.requests.length };
  }

  return { converse, ask, askWithTools, askForApproval };
}
