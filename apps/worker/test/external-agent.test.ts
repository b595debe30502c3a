import { createServer, type Server } from 'node:http';
import { Ops } from '@switchyard/operators';
import { Store } from '@switchyard/store';
import { afterEach, expect, inject, test } from 'vitest';
import { uniquePrefix } from '../../../tests/support/prefix.ts';
import { until } from '../../../tests/support/until.ts';
import { ExternalA2AAgent } from '../src/external-agents/external-a2a-agent.ts';
import { Worker } from '../src/index.ts';
import type { WorkerEvent } from '../src/telemetry/events.ts';

// The card of an agent that runs elsewhere, as its worker announces it.

let server: Server | undefined;
let agent: ExternalA2AAgent | undefined;

afterEach(async () => {
  await agent?.stop();
  server?.close();
  server?.closeAllConnections();
});

/**
 * The events of a worker, until this one, and the description that it announces, while this is at the URL of the card.
 */
async function seen(status: number, body: string, kind: WorkerEvent['kind']) {
  const page = createServer((_, response) => void response.writeHead(status).end(body));
  server = page;
  await new Promise<void>((resolve) => page.listen(0, '127.0.0.1', resolve));
  const address = page.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const events: WorkerEvent[] = [];
  const cardUrl = `http://127.0.0.1:${port}/card.json`;
  agent = new ExternalA2AAgent({ id: 'almanac', cardUrl }, (event) => events.push(event));
  await agent.open(async () => undefined);
  // On a busy machine the first answers may be late.
  await until(() => events.at(-1)?.kind === kind, { what: 'the card is read' });
  return { events, description: agent.card.description, problem: agent.problem, cardUrl };
}

test.each([
  ['a page', 200, '<p>Sign in'],
  ['nothing', 404, ''],
  ['a card without an interface', 200, '{"name":"Almanac","supportedInterfaces":[]}'],
  ['null', 200, 'null'],
])(
  '%s instead of a card is a card that cannot be used, and not an agent that does not answer',
  async (_, status, body) => {
    const { events, description, problem, cardUrl } = await seen(status, body, 'agent-card-refused');
    expect(events.at(-1)).toMatchObject({ reason: expect.stringContaining('cannot be used'), path: '/card.json' });
    expect(problem).toEqual({ kind: 'bad-card', text: expect.stringContaining(`at ${cardUrl} cannot be used`) });
    expect(description).toContain('cannot be used');
  },
);

test('a server that is not available is an agent that does not answer', async () => {
  const { events, description, problem, cardUrl } = await seen(503, '', 'agent-unreachable');
  expect(events).toMatchObject([{ path: '/card.json' }]);
  expect(problem).toEqual({ kind: 'unreachable', text: expect.stringContaining(`from ${cardUrl}: `) });
  expect(description).toContain('has not answered yet');
});

test('an agent with an odd field in its card is reachable, and the field is named', async () => {
  const supportedInterfaces = [{ url: 'https://agents.example.com', protocolBinding: 'JSONRPC' }];
  const skills = [{ id: 'dates', tags: 'time', examples: null }];
  const { events, description, problem } = await seen(
    200,
    JSON.stringify({ name: 'Almanac', supportedInterfaces, skills }),
    'agent-reachable',
  );
  expect(problem).toBeUndefined();
  expect(events.at(-1)).toMatchObject({ agent: 'almanac', problems: ['skills[0].tags must be a list'] });
  expect(description).toBe('Almanac');
});

test('operators see in the list of agents which one cannot be used, and why', async () => {
  const { cardUrl } = await seen(404, '', 'agent-card-refused');
  if (!agent) throw new Error('no agent');
  const store = new Store({ redisUrl: inject('redisUrl'), prefix: uniquePrefix() }, () => undefined);
  await store.start();
  const worker = new Worker({ drainMs: 0, sweepEveryMs: 60_000 }, { store, agents: [agent], emit: () => undefined });
  await worker.start();
  const ops = new Ops(store);
  const problem = async () => (await ops.agents.list('almanac'))[0]?.remoteProblem;
  expect(await until(problem, { what: 'the worker reports it' })).toEqual({
    kind: 'bad-card',
    text: expect.stringContaining(cardUrl),
    worker: worker.id,
  });
  await worker.stop();
  await store.stop();
});
