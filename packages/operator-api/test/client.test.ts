import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { OperatorClient, OperatorError } from '../src/index.ts';

const requests: string[] = [];
const server = createServer((req, res) => {
  requests.push(`${req.method} ${req.url} ${req.headers['last-event-id'] ?? ''} ${req.headers.authorization}`.trim());
  if (req.url?.startsWith('/refused')) {
    res.writeHead(403, { 'content-type': 'application/json' });
    const error = { code: 403, message: 'Not for you', details: [{ reason: 'PERMISSION_DENIED' }] };
    return void res.end(JSON.stringify({ error }));
  }
  if (req.url?.startsWith('/broken')) {
    const error = JSON.stringify({ error: { code: 503, message: 'Redis is gone' } });
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    return void res.end(`data: 1\n\nevent: error\ndata: ${error}\n\n`);
  }
  if (req.url?.startsWith('/live')) {
    const from = Number(req.headers['last-event-id'] ?? 0);
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.write(`id: ${from + 1}\ndata: ${from + 1}\n\n`);
    return void setTimeout(() => res.destroy(), 20);
  }
  if (req.url?.startsWith('/silent')) {
    res.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    return void setTimeout(() => res.destroy(), 20);
  }
  res.writeHead(200, { 'content-type': 'application/json' }).end('{"n":1,"new":true}');
});
let client: OperatorClient;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  client = new OperatorClient({ url: `http://127.0.0.1:${port}`, key: 'secret' });
});
afterAll(() => void server.close());

it('a call sends the key and the query, and returns only the fields of the schema', async () => {
  const query = { state: ['TASK_STATE_FAILED', 'TASK_STATE_REJECTED'], agent: undefined, contents: true };
  expect(await client.call('/tasks', z.object({ n: z.number() }), { query })).toEqual({ n: 1 });
  expect(requests.at(-1)).toBe('GET /tasks?state=TASK_STATE_FAILED%2CTASK_STATE_REJECTED&contents=true  Bearer secret');
});

it('a call throws an OperatorError with the status, reason and message of the gateway', async () => {
  const refused = await client.call('/refused', z.unknown()).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(OperatorError);
  expect(refused).toMatchObject({ status: 403, reason: 'PERMISSION_DENIED', message: 'Not for you' });
});

it('a watch reconnects after a lost connection, and continues after the last event', async () => {
  const seen: number[] = [];
  let lost = 0;
  for await (const each of client.watch('/live', z.number(), { onLost: () => lost++ }))
    if (seen.push(each) === 3) break;
  expect([seen, lost]).toEqual([[1, 2, 3], 2]);
});

it('a watch tells that it is connected again, also when nothing has changed', async () => {
  const told: string[] = [];
  const stop = new AbortController();
  const onConnected = (): void => {
    told.push('connected');
    if (told.length === 3) stop.abort();
  };
  const how = { signal: stop.signal, onConnected, onLost: () => told.push('lost') };
  for await (const _ of client.watch('/silent', z.number(), how));
  expect(told).toEqual(['connected', 'lost', 'connected']);
});

it('a stream throws the error event that ends it', async () => {
  const seen: number[] = [];
  const read = async (): Promise<void> => {
    for await (const each of client.events('/broken', z.number())) seen.push(each);
  };
  await expect(read()).rejects.toMatchObject({ status: 503, message: 'Redis is gone' });
  expect(seen).toEqual([1]);
});
