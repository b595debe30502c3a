import { createServer } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { answerOf, RawServer, writeWithoutEnd } from '../../../tests/support/raw-server.ts';
import { until } from '../../../tests/support/until.ts';
import {
  AddressPolicy,
  AddressRefused,
  AnswerRefused,
  type GuardedClientOptions,
  guardedClient,
} from '../src/index.ts';

/** Lets calls go to 127.0.0.2 and nowhere else; so 127.0.0.1 is what must not be reached. */
const policy = new AddressPolicy({ allowHttp: true, allowHosts: ['127.0.0.2'] });
const client = (given: Partial<GuardedClientOptions> = {}) =>
  guardedClient({ policy, timeoutMs: 5_000, maxBytes: 100_000, ...given });
const silent = (): void => undefined;

describe('a host that', () => {
  test.each([
    ['is at a private address', ['10.0.0.1']],
    ['is at this machine', ['127.0.0.1']],
    ['is where clouds keep their metadata', ['169.254.169.254']],
    ['is at this machine, as IPv4 in IPv6', ['::ffff:127.0.0.1']],
    ['is at a private address behind NAT64', ['64:ff9b::10.0.0.1']],
    ['has one such address among others', ['127.0.0.2', '127.0.0.1']],
    ['has no address', []],
  ])('%s is not called', async (_, addresses) => {
    await using victim = await new RawServer(silent, '127.0.0.1').start();
    const asked = client({ resolve: async () => addresses }).fetch(`http://hooks.test:${victim.port}/`);
    await expect(asked).rejects.toThrow(new AddressRefused('hooks.test is at an address that may not be called'));
    expect(victim.connections).toBe(0);
  });

  test.each(['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '2130706433', '0x7f.1', 'localhost'])(
    'is written as an address is held to the same rules: %s',
    async (host) => {
      await using victim = await new RawServer(silent, '127.0.0.1').start();
      await expect(client().fetch(`http://${host}:${victim.port}/`)).rejects.toThrow(AddressRefused);
      expect(victim.connections).toBe(0);
    },
  );

  test('answers its second look-up otherwise is reached where the first one led, and not where the second leads', async () => {
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

  test('answers at the second of its addresses is reached there', async () => {
    await using server = await new RawServer((socket) => socket.end(answerOf('', 'Content-Length: 0'))).start();
    const both = new AddressPolicy({ allowHttp: true, allowHosts: ['127.0.0.2', '127.0.0.3'] });
    const { fetch } = client({ policy: both, resolve: async () => ['127.0.0.3', '127.0.0.2'] });
    expect((await fetch(`http://hooks.test:${server.port}/`)).status).toBe(200);
  });

  test('speaks TLS is called by its name, at the address that was judged', async () => {
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

  test('the operator wrote down is called wherever it is, at the port that was written and no other', async () => {
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
    ['without TLS where that is not allowed', 'http://example.com/'],
    ['that is none', 'example.com'],
  ])('%s is not called', async (_, url) => {
    const strict = new AddressPolicy({ allowHttp: false, allowHosts: [] });
    await expect(client({ policy: strict }).fetch(url)).rejects.toThrow(AddressRefused);
  });
});

describe('an answer', () => {
  test('that redirects is followed nowhere', async () => {
    await using victim = await new RawServer(silent, '127.0.0.1').start();
    const redirect = `HTTP/1.1 307 Elsewhere\r\nLocation: ${victim.url}\r\nContent-Length: 0\r\n\r\n`;
    await using server = await new RawServer((socket) => socket.end(redirect)).start();
    expect((await client().fetch(server.url)).status).toBe(307);
    expect(victim.connections).toBe(0);
  });

  test.each([
    ['says that it is long', 'Content-Length: 1000000000'],
    ['does not say how long it is', 'Connection: close'],
    ['is a stream of events that nobody asked for', 'Connection: close\r\nContent-Type: text/event-stream'],
  ])('that %s is read no further than allowed', async (_, headers) => {
    await using server = await new RawServer((socket) => {
      socket.write(answerOf('', headers));
      writeWithoutEnd(socket, 'data: x\n\n'.repeat(1_000));
    }).start();
    const response = await client().fetch(server.url);
    await expect(response.text()).rejects.toThrow(AnswerRefused);
    await until(() => server.sockets.size === 0, { what: 'the end of the connection' });
  });

  test('in chunks without end is read no further than allowed', async () => {
    await using server = await new RawServer((socket) => {
      socket.write(answerOf('', 'Transfer-Encoding: chunked'));
      writeWithoutEnd(socket, `3e8\r\n${'x'.repeat(1_000)}\r\n`);
    }).start();
    const response = await client().fetch(server.url);
    await expect(response.json()).rejects.toThrow(AnswerRefused);
  });

  test('with headers without end is broken off', async () => {
    await using server = await new RawServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      writeWithoutEnd(socket, `X-More: ${'x'.repeat(1_000)}\r\n`);
    }).start();
    await expect(client().fetch(server.url)).rejects.toThrow();
    await until(() => server.sockets.size === 0, { what: 'the end of the connection' });
  });

  test('that is announced a thousand times is broken off', async () => {
    await using server = await new RawServer((socket) =>
      writeWithoutEnd(socket, 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'),
    ).start();
    await expect(client({ timeoutMs: 200 }).fetch(server.url)).rejects.toThrow();
    await until(() => server.sockets.size === 0, { what: 'the end of the connection' });
  });

  test('that drips is broken off at the deadline, however lively it is', async () => {
    await using server = await new RawServer((socket) => {
      socket.write(answerOf('', 'Transfer-Encoding: chunked'));
      const drip = setInterval(() => socket.write('1\r\nx\r\n'), 10);
      socket.on('close', () => clearInterval(drip));
    }).start();
    const response = await client({ timeoutMs: 200 }).fetch(server.url);
    await expect(response.text()).rejects.toThrow('The answer took too long.');
    await until(() => server.sockets.size === 0, { what: 'the end of the connection' });
  });

  test('that nobody reads is broken off at the deadline, and hurts nobody', async () => {
    await using server = await new RawServer((socket) => socket.write(answerOf('x', 'Content-Length: 10'))).start();
    await client({ timeoutMs: 100 }).fetch(server.url);
    await until(() => server.sockets.size === 0, { what: 'the end of the connection' });
  });

  test('that never begins is broken off at the deadline', async () => {
    await using server = await new RawServer(silent).start();
    await expect(client({ timeoutMs: 100 }).fetch(server.url)).rejects.toThrow('The answer took too long.');
  });

  test('that unpacks to much more is not unpacked', async () => {
    const bomb = gzipSync(Buffer.alloc(10_000_000));
    await using server = await new RawServer((socket) =>
      socket.end(answerOf(bomb, 'Content-Encoding: gzip', `Content-Length: ${bomb.length}`)),
    ).start();
    await expect(client().fetch(server.url, { headers: { 'accept-encoding': 'gzip' } })).rejects.toThrow(AnswerRefused);
    expect(server.requests[0]).toContain('\r\naccept-encoding: identity\r\n');
  });
});

describe('a stream of events', () => {
  const accept = { headers: { Accept: 'text/event-stream' } };
  const head = answerOf('', 'Connection: close', 'Content-Type: text/event-stream');

  test('may be longer than any other answer, and take longer, in whole lines', async () => {
    await using server = await new RawServer((socket) => {
      socket.write(head);
      let left = 20;
      const more = setInterval(() => {
        socket.write(`${'x'.repeat(5_000)}\n${'y'.repeat(5_000)}`);
        if (--left === 0) socket.end();
      }, 20);
      socket.on('close', () => clearInterval(more));
    }).start();
    const { body } = await client({ timeoutMs: 200 }).request(server.url, accept);
    const pieces = (await Array.fromAsync(body)).map(String);
    expect(pieces.join('')).toBe(`${'x'.repeat(5_000)}\n${'y'.repeat(5_000)}`.repeat(20));
    expect(pieces.slice(0, -1).every((piece) => piece.endsWith('\n'))).toBe(true);
  });

  test('with a line without end is read no further than allowed', async () => {
    await using server = await new RawServer((socket) => {
      socket.write(head);
      writeWithoutEnd(socket, `data: ${'x'.repeat(1_000)}\r`);
    }).start();
    const response = await client().fetch(server.url, accept);
    await expect(response.text()).rejects.toThrow(AnswerRefused);
    await until(() => server.sockets.size === 0, { what: 'the end of the connection' });
  });

  test('that falls silent is broken off', async () => {
    await using server = await new RawServer((socket) => socket.write(head)).start();
    const response = await client({ timeoutMs: 100 }).fetch(server.url, accept);
    await expect(response.text()).rejects.toThrow();
  });
});
