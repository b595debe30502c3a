import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { BodyBroken, bodyOf } from '../src/files/body.ts';

/** A request of which so many bytes were sent. */
async function requestWith(bytes: number) {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const sent = request({ port, method: 'POST', agent: false });
  sent.on('error', () => undefined).write(Buffer.alloc(bytes, 7));
  const [req]: IncomingMessage[] = await once(server, 'request');
  if (!req) throw new Error('no request');
  const close = (): void => {
    sent.destroy();
    server.close();
  };
  return { req, sent, [Symbol.dispose]: close };
}

test('a body is whole, and the memory of each chunk is given back with the next one', async () => {
  using asked = await requestWith(4_000_000);
  asked.sent.end();
  let [bytes, wrong] = [0, 0];
  const before: Uint8Array[] = [];
  for await (const chunk of bodyOf(asked.req)) {
    bytes += chunk.length;
    if (chunk.some((byte) => byte !== 7)) wrong++;
    expect(before.filter(({ length }) => length > 0)).toEqual([]);
    before.push(chunk);
  }
  expect([bytes, wrong, before.length > 10]).toEqual([4_000_000, 0, true]);
  expect(await Array.fromAsync(bodyOf(asked.req))).toEqual([]);
});

test('a body that breaks off fails, also if nobody had read it', async () => {
  using asked = await requestWith(10);
  const body = bodyOf(asked.req);
  expect((await body.next()).value?.length).toBe(10);
  asked.sent.destroy();
  await expect(body.next()).rejects.toThrow(BodyBroken);
  await expect(bodyOf(asked.req).next()).rejects.toThrow(BodyBroken);
});

test('a body that is stopped ends with what has come', async () => {
  using asked = await requestWith(10);
  const stop = new AbortController();
  const body = bodyOf(asked.req, stop.signal);
  await body.next();
  stop.abort();
  expect([await body.next(), asked.req.destroyed]).toEqual([{ done: true, value: undefined }, false]);
  expect(await bodyOf(asked.req, stop.signal).next()).toMatchObject({ done: true });
});
