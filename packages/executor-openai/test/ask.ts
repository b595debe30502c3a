import { executeTurn } from '@switchyard/agent/runtime';
import { MemoryPort, type MemoryTurn } from '@switchyard/agent/testing';
import { z } from 'zod';
import { agentThat } from '../../../tests/support/agent-that.ts';
import { ModelEndpoint, type Script } from '../../../tests/support/model-endpoint.ts';
import { type OpenAiSettings, openAiExecutor } from '../src/index.ts';

export const apiKey = 'sk-very-secret';

const orderSchema = z.object({ pizza: z.string(), size: z.number() });

type WithoutModel<Each> = Each extends unknown ? Omit<Each, 'model'> : never;

export type Settings = WithoutModel<OpenAiSettings<z.infer<typeof orderSchema>>>;

/** Settings for structured answers. */
export const order: Settings = {
  structured: {
    name: 'order',
    schema: orderSchema,
    toOutcome: ({ pizza, size }, turn) => turn.complete(`${pizza} of ${size} cm`),
  },
};

/** Settings for answers that go into an artifact. */
export const report: Settings = { artifact: { name: 'Report', mediaType: 'text/markdown' } };

/** Runs a turn with a model that follows the script. */
export async function ask(script: Script, settings: Settings = {}, turn: Partial<MemoryTurn> = {}) {
  await using endpoint = new ModelEndpoint(script);
  const port = new MemoryPort({ message: 'Hello', ...turn });
  const result = await converse(await endpoint.start(), port, settings);
  return { result, port, request: endpoint.requests[0], requests: endpoint.requests.length, ...summaryOf(port) };
}

export function converse(baseURL: string, port: MemoryPort, settings: Settings = {}) {
  const execute = openAiExecutor({ model: 'm', baseURL, apiKey, ...settings });
  return executeTurn(agentThat(execute), port, { graceMs: 1000 });
}

function summaryOf({ current: { status, artifacts } }: MemoryPort) {
  return { state: status.state, statusText: status.message?.parts[0]?.text, artifacts };
}
