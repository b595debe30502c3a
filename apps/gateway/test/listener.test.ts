import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { until } from '../../../tests/support/until.ts';
import { Listener } from '../src/http/listener.ts';
import { defaultConnectionLimits } from '../src/settings/connection-settings.ts';

const STALL_MS = 300;
/** More than the sockets buffer. */
const LARGE = Buffer.alloc(32 * 2 ** 20, 'x');

const open: (() => Promise<void>)[] = [];
afterAll(() => Promise.all(open.map((close) => close())));

/** A client that has sent a request and does not read the answer yet. */
async function ask(handler: RequestListener, stallMs = STALL_MS): Promise<Socket> {
  const listener = new Listener(handler, { stallMs, connections: defaultConnectionLimits });
  const { hostname, port } = new URL(await listener.open('127.0.0.1', 0));
  const socket = connect({ host: hostname, port: Number(port) }).on('error', () => undefined);
  open.push(async () => {
    socket.destroy();
    await listener.close(0);
  });
  socket.pause();
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  return socket;
}

// Each waits for seconds, with its own listener.
describe.concurrent('a listener', () => {
  it('disconnects a client that reads nothing of its answer, whole or streamed', async () => {
    for (const end of [true, false]) {
      let isClosed = false;
      await ask((_req, res) => {
        res.on('close', () => {
          isClosed = true;
        });
        if (end) res.end(LARGE);
        else res.write(LARGE);
      });
      await until(() => isClosed, { what: 'the connection is closed' });
    }
  });

  it('keeps the connection of a client that waits for its answer, for the next request', async () => {
    let asked = 0;
    const socket = await ask((_req, res) => {
      asked++;
      setTimeout(() => res.end('late'), 3 * STALL_MS);
    });
    const answers: string[] = [];
    socket.on('data', (data) => answers.push(String(data)));
    socket.resume();
    await once(socket, 'data');
    await new Promise((resolve) => setTimeout(resolve, 2 * STALL_MS));
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await until(() => answers.join('').match(/late/g)?.length === 2, { what: 'both answers have come' });
    expect(asked).toBe(2);
  });

  it('keeps the connection of a client that reads slowly', async () => {
    // So long that a busy machine does not make a pause too long.
    const stallMs = 1_500;
    const socket = await ask((_req, res) => void res.end(LARGE), stallMs);
    let bytes = 0;
    const begun = Date.now();
    socket.on('data', (data) => {
      bytes += data.length;
      socket.pause();
      // Pauses shorter than the limit, but together much longer.
      setTimeout(() => socket.resume(), bytes % 2 ** 22 < data.length ? stallMs / 3 : 0);
    });
    socket.resume();
    await until(() => bytes > LARGE.length, { what: 'the whole answer has come' });
    expect(Date.now() - begun).toBeGreaterThan(2 * stallMs);
  });
});
