import { createServer } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { answerOf, RawServer, writeWithoutEnd } from '../../../tests/support/raw-server.ts';
import { until } from '../../../tests/support/until.ts';
import {
  AddressPolicy,
  AddressRefused,
  type GuardedClientOptions,
  guardedClient,
  ResponseRefused,
} from '../src/index.ts';

/** Allows calls to 127.0.0.2 only: in these tests 127.0.0.1 is the victim that must not be called. */
const policy = new AddressPolicy({ allowHttp: true, allowHosts: ['127.0.0.2'] });
const client = (given: Partial<GuardedClientOptions> = {}) =>
  guardedClient({ policy, timeoutMs: 5_000, maxBytes: 100_000, ...given });
const silent = (): void => undefined;
/** Repeats a request whose head a busy machine does not bring within its short time. */
const withHead = <T>(request: () => Promise<T>) => until(request, { what: 'the head of the answer comes in time' });

describe('a host that', () => {
  test.each([
    ['is at a private address', ['10.0.0.1']],
    ['is at this machine', ['127.0.0.1']],
    ['is the metadata service of a cloud', ['169.254.169.254']],
    ['is at this machine, as IPv4 in IPv6', ['::ffff:127.0.0.1']],
    ['is at a private address behind NAT64', ['64:ff9b::10.0.0.1']],
    ['has an allowed and a forbidden address', ['127.0.0.2', '127.0.0.1']],
    ['has no address', []],
  ])('%s is not called', async (_, addresses) => {
    await using victim = await new RawServer(silent, '127.0.0.1').start();
    const response = client({ resolve: async () => addresses }).fetch(`http://hooks.test:${victim.port}/`);
    await expect(response).rejects.toThrow(new AddressRefused('hooks.test is at an address that may not be called'));
    expect(victim.connections).toBe(0);
  });

  test.each(['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '2130706433', '0x7f.1', 'localhost'])(
    'is an IP address in any notation, or localhost, obeys the same rules: %s',
    async (host) => {
      await using victim = await new RawServer(silent, '127.0.0.1').start();
      await expect(client().fetch(`http://${host}:${victim.port}/`)).rejects.toThrow(AddressRefused);
      expect(victim.connections).toBe(0);
    },
  );

  test('resolves to another address the second time is called only at the first one (no DNS rebinding)', async () => {
    await using server = await new RawServer((socket) => socket.end(answerOf('', 'Content-Length: 0'))).start();
    await using victim = await new RawServer(silent, '127.0.0.1').start(server.port);
    const answers = ['127.0.0.2', '127.0.0.1'];
    const { fetch } = client({ resolve: async () => [answers.shift() ?? '127.0.0.1'] });
    const url = `http://hooks.test:${server.port}/`;
    expect((await fetch(url)).status).toBe(200);
    expect(server.requests[0]).toContain(`\r\nhost: hooks.test:${server.port}\r\n`);
    await until(() => server.sockets.size === 0, { what: 'the end of the connection' });
    await expect(fetch(url)).rejects.toThrow(AddressRefused);
    expect(victim.connections).toBe(0);
  });

  test('does not go on is left after idleMs, although a whole response may take longer', async () => {
    const patient = client({ timeoutMs: 3_600_000, idleMs: 200 });
    await using mute = await new RawServer(silent).start();
    await using halting = await new RawServer((socket) => socket.write(answerOf('a', 'Content-Length: 9'))).start();
    const url = (server: RawServer) => `http://127.0.0.2:${server.port}/`;
    await expect(patient.request(url(mute), {})).rejects.toMatchObject({ code: 'UND_ERR_HEADERS_TIMEOUT' });
    const { body } = await withHead(() => patient.request(url(halting), {}));
    await expect(Array.fromAsync(body)).rejects.toMatchObject({ code: 'UND_ERR_BODY_TIMEOUT' });
  });

  test('answers only at its second address is called there', async () => {
    await using server = await new RawServer((socket) => socket.end(answerOf('', 'Content-Length: 0'))).start();
    const both = new AddressPolicy({ allowHttp: true, allowHosts: ['127.0.0.2', '127.0.0.3'] });
    const { fetch } = client({ policy: both, resolve: async () => ['127.0.0.3', '127.0.0.2'] });
    expect((await fetch(`http://hooks.test:${server.port}/`)).status).toBe(200);
  });

  test('uses TLS is called at the checked address, with its name in SNI', async () => {
    const names: string[] = [];
    const server = createServer({
      SNICallback: (name, callback) => {
        names.push(name);
        callback(new Error('no certificate in this test'));
      },
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.2', resolve));
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    await expect(client({ resolve: async () => ['127.0.0.2'] }).fetch(`https://hooks.test:${port}/`)).rejects.toThrow();
    expect(names).toEqual(['hooks.test']);
    server.close();
  });

  test('is a trusted origin is called at any address, but at no other port', async () => {
    const empty = answerOf('', 'Content-Length: 0');
    await using agent = await new RawServer((socket) => socket.end(empty), '127.0.0.1').start();
    await using victim = await new RawServer(silent, '127.0.0.1').start();
    const trusting = new AddressPolicy({
      allowHttp: false,
      allowHosts: [],
      trustedOrigins: [`http://localhost:${agent.port}`],
    });
    const { fetch } = client({ policy: trusting, resolve: async () => ['127.0.0.1'] });
    expect((await fetch(`http://localhost:${agent.port}/`)).status).toBe(200);
    await expect(fetch(`http://localhost:${victim.port}/`)).rejects.toThrow(AddressRefused);
    await expect(fetch(`http://127.0.0.1:${agent.port}/`)).rejects.toThrow(AddressRefused);
    expect(victim.connections).toBe(0);
  });
});

describe('a URL', () => {
  test.each([
    ['of another protocol', 'file:///etc/passwd'],
    ['with a password', 'https://user:secret@example.com/'],
    ['without TLS, unless the policy allows it', 'http://example.com/'],
    ['that is invalid', 'example.com'],
  ])('%s is not called', async (_, url) => {
    const strict = new AddressPolicy({ allowHttp: false, allowHosts: [] });
    await expect(client({ policy: strict }).fetch(url)).rejects.toThrow(AddressRefused);
  });
});

describe('an answer', () => {
  test('that redirects is not followed', async () => {
    await using victim = await new RawServer(silent, '127.0.0.1').start();
    const redirect = `HTTP/1.1 307 Elsewhere\r\nLocation: ${victim.url}\r\nContent-Length: 0\r\n\r\n`;
    await using server = await new RawServer((socket) => socket.end(redirect)).start();
    expect((await client().fetch(server.url)).status).toBe(307);
    expect(victim.connections).toBe(0);
  });

  test.each([
    ['has a large Content-Length', 'Content-Length: 1000000000'],
    ['has no Content-Length', 'Connection: close'],
    ['is an event stream without a request for one', 'Connection: close\r\nContent-Type: text/event-stream'],
  ])('that %s is aborted at maxBytes', async (_, headers) => {
    await using server = await new RawServer((socket) => {
      socket.write(answerOf('', headers));
      writeWithoutEnd(socket, 'data: x\n\n'.repeat(1_000));
    }).start();
    const response = await client().fetch(server.url);
    await expect(response.text()).rejects.toThrow(ResponseRefused);
    await until(() => server.sockets.size === 0, { what: 'the end of the connection' });
  });

  test('of endless chunks is aborted at maxBytes', async () => {
    await using server = await new RawServer((socket) => {
      socket.write(answerOf('', 'Transfer-Encoding: chunked'));
      writeWithoutEnd(socket, `3e8\r\n${'x'.repeat(1_000)}\r\n`);
    }).start();
    const response = await client().fetch(server.url);
    await expect(response.json()).rejects.toThrow(ResponseRefused);
  });

  test('with endless headers is aborted', async () => {
    await using server = await new RawServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      writeWithoutEnd(socket, `X-More: ${'x'.repeat(1_000)}\r\n`);
    }).start();
    await expect(client().fetch(server.url)).rejects.toThrow();
    await until(() => server.sockets.size === 0, { what: 'the end of the connection' });
  });

  test('after endless 103 responses is aborted', async () => {
    await using server = await new RawServer((socket) =>
      writeWithoutEnd(socket, 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'),
    ).start();
    await expect(client({ timeoutMs: 200 }).fetch(server.url)).rejects.toThrow();
    await until(() => server.sockets.size === 0, { what: 'the end of the connection' });
  });

  test('that sends a byte at a time is aborted at the deadline', async () => {
    await using server = await new RawServer((socket) => {
      socket.write(answerOf('', 'Transfer-Encoding: chunked'));
      const drip = setInterval(() => socket.write('1\r\nx\r\n'), 10);
      socket.on('close', () => clearInterval(drip));
    }).start();
    const response = await withHead(() => client({ timeoutMs: 200 }).fetch(server.url));
    await expect(response.text()).rejects.toThrow('The response took too long.');
    await until(() => server.sockets.size === 0, { what: 'the end of the connection' });
  });

  test('that is not read is aborted at the deadline without an unhandled error', async () => {
    await using server = await new RawServer((socket) => socket.write(answerOf('x', 'Content-Length: 10'))).start();
    await withHead(() => client({ timeoutMs: 100 }).fetch(server.url));
    await until(() => server.sockets.size === 0, { what: 'the end of the connection' });
  });

  test.each([
    ['before it is read', false],
    ['while a read waits for data', true],
  ])('that is canceled %s releases its connection at once', async (_, isRead) => {
    await using server = await new RawServer((socket) => socket.write(answerOf('x', 'Content-Length: 10'))).start();
    const { body } = await client({ timeoutMs: 60_000 }).fetch(server.url);
    const reader = body?.getReader();
    if (isRead) await reader?.read();
    const waiting = isRead ? reader?.read() : undefined;
    await reader?.cancel();
    await waiting;
    await until(() => server.sockets.size === 0, { what: 'the end of the connection' });
  });

  test('that never begins is aborted at the deadline', async () => {
    await using server = await new RawServer(silent).start();
    await expect(client({ timeoutMs: 100 }).fetch(server.url)).rejects.toThrow('The response took too long.');
  });

  test('that is compressed is refused, and not decompressed', async () => {
    const bomb = gzipSync(Buffer.alloc(10_000_000));
    await using server = await new RawServer((socket) =>
      socket.end(answerOf(bomb, 'Content-Encoding: gzip', `Content-Length: ${bomb.length}`)),
    ).start();
    await expect(client().fetch(server.url, { headers: { 'accept-encoding': 'gzip' } })).rejects.toThrow(
      ResponseRefused,
    );
    expect(server.requests[0]).toContain('\r\naccept-encoding: identity\r\n');
  });
});

describe('a stream of events', () => {
  const accept = { headers: { Accept: 'text/event-stream' } };
  const head = answerOf('', 'Connection: close', 'Content-Type: text/event-stream');

  test('may exceed maxBytes and timeoutMs in total, and is read in whole lines', async () => {
    await using server = await new RawServer((socket) => {
      socket.write(head);
      let left = 20;
      const more = setInterval(() => {
        socket.write(`${'x'.repeat(5_000)}\n${'y'.repeat(5_000)}`);
        if (--left === 0) socket.end();
      }, 60);
      socket.on('close', () => clearInterval(more));
    }).start();
    // So long that a busy machine does not make a pause too long.
    const { body } = await client({ timeoutMs: 1_000 }).request(server.url, accept);
    const pieces = (await Array.fromAsync(body)).map(String);
    expect(pieces.join('')).toBe(`${'x'.repeat(5_000)}\n${'y'.repeat(5_000)}`.repeat(20));
    expect(pieces.slice(0, -1).every((piece) => piece.endsWith('\n'))).toBe(true);
  });

  test('may end its lines with CR only', async () => {
    await using server = await new RawServer((socket) => socket.write(`${String(head)}data: 1\r\rdata: 2`)).start();
    const { body } = await client({ timeoutMs: 5_000 }).request(server.url, accept);
    for await (const piece of body) {
      expect(String(piece)).toBe('data: 1\r\r');
      break;
    }
  });

  test('with an endless line is aborted at maxBytes', async () => {
    await using server = await new RawServer((socket) => {
      socket.write(head);
      writeWithoutEnd(socket, 'x'.repeat(1_000));
    }).start();
    const response = await client().fetch(server.url, accept);
    await expect(response.text()).rejects.toThrow(ResponseRefused);
    await until(() => server.sockets.size === 0, { what: 'the end of the connection' });
  });

  test('without data for timeoutMs is aborted', async () => {
    await using server = await new RawServer((socket) => socket.write(head)).start();
    const response = await withHead(() => client({ timeoutMs: 100 }).fetch(server.url, accept));
    await expect(response.text()).rejects.toThrow();
  });
});
