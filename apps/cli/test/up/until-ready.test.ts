import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { whatIsMissing } from '../../src/up/until-ready.ts';

let server: Server;
let url: string;
let answers: Readonly<Record<string, object>> = {};

beforeAll(async () => {
  server = createServer((req, res) => {
    const answer = answers[req.url ?? ''];
    res.writeHead(answer ? 200 : 503).end(JSON.stringify(answer ?? {}));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
});
afterAll(() => server.close());

it.each([
  ['still starting: the gateway does not answer yet', {}],
  ['still starting: no worker runs its agents yet', { '/readyz': {}, '/agents': { agents: [] } }],
  // Of an earlier run.
  ['still starting: no worker runs its agents yet', { '/readyz': {}, '/agents': { agents: [{ workers: 0 }] } }],
  ['no worker runs the default agent "desk" yet', { '/readyz': {}, '/agents': { agents: [{ workers: 1 }] } }],
])('switchyard up that is slow says: %s', async (text, given) => {
  answers = given;
  expect(await whatIsMissing(url, 'desk')).toContain(text);
});
