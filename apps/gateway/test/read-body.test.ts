import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { PassThrough } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { heapBytes } from '../../../tests/support/heap-bytes.ts';
import { parseJson, readBody } from '../src/exchange/read-json.ts';

/** A request whose body the test sends piece by piece. */
function openRequest(): { sent: PassThrough; req: IncomingMessage } {
  const sent = new PassThrough();
  return { sent, req: Object.assign(sent, { headers: {} }) as unknown as IncomingMessage };
}

describe('readBody', () => {
  it('reads a body to its end, and removes its listeners', async () => {
    const { sent, req } = openRequest();
    const body = readBody(req, { maxBytes: 100, maxValues: 100 });
    sent.write('{"a":');
    sent.end('1}');
    expect(await body).toBe('{"a":1}');
    expect(['data', 'error'].map((event) => req.listenerCount(event))).toEqual([0, 0]);
  });

  it('says that a body is not compressed as its header says', async () => {
    const { sent, req } = openRequest();
    req.headers['content-encoding'] = 'gzip';
    const body = readBody(req, { maxBytes: 100, maxValues: 100 });
    sent.end('{"a":1}');
    await expect(body).rejects.toThrow('The body could not be read: Content-Encoding is gzip, but the body is not');
  });

  it('refuses a body that is too large at once, and reads it to its end', async () => {
    const { sent, req } = openRequest();
    const body = readBody(req, { maxBytes: 10, maxValues: 10 });
    sent.write('x'.repeat(11));
    await expect(body).rejects.toMatchObject({ code: 'PayloadTooLarge' });
    sent.end('x'.repeat(1_000_000));
    await new Promise((resolve) => sent.once('end', resolve));
    expect(sent.readableEnded).toBe(true);
  });

  it('of which each byte comes in a chunk of its own takes little more memory than its bytes', async () => {
    const [bytes, before] = [100_000, heapBytes()];
    const server = createServer();
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    onTestFinished(() => {
      client.destroy();
      server.close();
    });
    client.write('POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n');
    client.write('1\r\nx\r\n'.repeat(bytes));
    const [req]: IncomingMessage[] = await once(server, 'request');
    if (!req) throw new Error('no request');
    const reserved = Promise.withResolvers<void>();
    let counted = 0;
    const reserve = (more: number): void => {
      counted += more;
      if (counted === bytes) reserved.resolve();
    };
    const body = readBody(req, { maxBytes: bytes, maxValues: 10, counter: { reserve } });
    await reserved.promise;
    expect(heapBytes() - before).toBeLessThan(50 * bytes);
    client.write('0\r\n\r\n');
    expect((await body).length).toBe(bytes);
  });
});

describe('parseJson', () => {
  it.each([
    ['{', "Expected property name or '}' in JSON at position 1 (line 1 column 2)"],
    ["{'password':'hunter2'}", "Expected property name or '}' in JSON at position 1 (line 1 column 2)"],
    ['{"a":1,}', 'Expected double-quoted property name in JSON at position 7 (line 1 column 8)'],
    ['hunter2', "Unexpected token 'h'"],
    [',hunter2', "Unexpected token ','"],
    ['[1,\n2 "hunter2"]', "Expected ',' or ']' after array element in JSON at position 6 (line 2 column 3)"],
  ])('says what is wrong with %j, and quotes nothing of it', (text, reason) => {
    expect(() => parseJson(text)).toThrow(`Invalid JSON payload: body is not JSON: ${reason}`);
    expect(() => parseJson(text)).not.toThrow('hunter2');
  });
});
