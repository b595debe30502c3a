import { createServer, type Server } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { until } from '../../../tests/support/until.ts';
import { ExternalA2AAgent } from '../src/external-agents/external-a2a-agent.ts';
import type { WorkerEvent } from '../src/telemetry/events.ts';

// The card of an agent that runs elsewhere, as its worker announces it.

let server: Server | undefined;
let agent: ExternalA2AAgent | undefined;

afterEach(async () => {
  await agent?.stop();
  server?.close();
  server?.closeAllConnections();
});

/** The events of a worker, and the description that it announces, while this is at the URL of the card. */
async function seen(status: number, body: string): Promise<{ events: WorkerEvent[]; description: string }> {
  const page = createServer((_, response) => void response.writeHead(status).end(body));
  server = page;
  await new Promise<void>((resolve) => page.listen(0, '127.0.0.1', resolve));
  const address = page.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const events: WorkerEvent[] = [];
  const cardUrl = `http://127.0.0.1:${port}/card.json`;
  agent = new ExternalA2AAgent({ id: 'almanac', cardUrl }, (event) => events.push(event));
  await agent.open(async () => undefined);
  await until(() => events.length > 0, { what: 'the card is read' });
  return { events, description: agent.card.description };
}

test.each([
  ['a page', 200, '<p>Sign in'],
  ['nothing', 404, ''],
  ['a card without an interface', 200, '{"name":"Almanac","supportedInterfaces":[]}'],
  ['null', 200, 'null'],
])(
  '%s instead of a card is a card that cannot be used, and not an agent that does not answer',
  async (_, status, body) => {
    const { events, description } = await seen(status, body);
    expect(events).toMatchObject([{ kind: 'agent-card-refused', reason: expect.stringContaining('cannot be used') }]);
    expect(description).toContain('cannot be used');
  },
);

test('a server that is not available is an agent that does not answer', async () => {
  const { events, description } = await seen(503, '');
  expect(events).toMatchObject([{ kind: 'agent-unreachable' }]);
  expect(description).toContain('has not answered yet');
});

test('an agent with an odd field in its card is reachable, and the field is named', async () => {
  const supportedInterfaces = [{ url: 'https://agents.example.com', protocolBinding: 'JSONRPC' }];
  const skills = [{ id: 'dates', tags: 'time', examples: null }];
  const { events, description } = await seen(200, JSON.stringify({ name: 'Almanac', supportedInterfaces, skills }));
  expect(events).toEqual([{ kind: 'agent-reachable', agent: 'almanac', problems: ['skills[0].tags must be a list'] }]);
  expect(description).toBe('Almanac');
});
