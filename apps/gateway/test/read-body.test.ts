import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { readBody } from '../src/exchange/read-json.ts';

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

  it('refuses a body that is too large at once, and reads it to its end', async () => {
    const { sent, req } = openRequest();
    const body = readBody(req, { maxBytes: 10, maxValues: 10 });
    sent.write('x'.repeat(11));
    await expect(body).rejects.toMatchObject({ code: 'PayloadTooLarge' });
    sent.end('x'.repeat(1_000_000));
    await new Promise((resolve) => sent.once('end', resolve));
    expect(sent.readableEnded).toBe(true);
  });
});
