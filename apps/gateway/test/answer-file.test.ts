import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { until } from '../../../tests/support/until.ts';
import { answerFile } from '../src/files/answer-file.ts';

const CHUNK = 64 * 1024;
const stored = { id: '0', mediaType: 'video/mp4', sizeBytes: 1024 * CHUNK, sha256: '00' };

/** A file whose chunks are all in the same memory, `fails` of which cannot be read. */
async function serve(fails = Number.POSITIVE_INFINITY, facts: { readonly filename?: string } = {}) {
  const seen = { given: 0, isClosed: false, result: undefined as number | Error | undefined };
  async function* chunks(): AsyncGenerator<Uint8Array> {
    const memory = Buffer.alloc(CHUNK);
    try {
      for (; seen.given * CHUNK < stored.sizeBytes; seen.given++) {
        if (seen.given === fails) throw new Error('the disk is broken');
        yield memory.fill(seen.given % 251);
      }
    } finally {
      seen.isClosed = true;
    }
  }
  const file = { file: { ...stored, ...facts }, chunks, close: async () => undefined };
  const server = createServer(async (req, res) => {
    seen.result = await answerFile(file, { req: Object.assign(req, { params: {} }), res } as never).catch((e) => e);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const request = get({ port: (server.address() as AddressInfo).port, agent: false });
  const [response]: IncomingMessage[] = await once(request, 'response');
  if (!response) throw new Error('no response');
  return { seen, response, [Symbol.dispose]: () => void server.close() };
}

test('a slow reader gets every byte, although all chunks have the same memory', async () => {
  using served = await serve();
  const { seen, response } = served;
  // More than the sockets take: the file waits for its reader.
  await until(() => seen.given > 8, { what: 'some chunks were sent' });
  const bytes = await buffer(response);
  const wrong = Array.from({ length: 1024 }, (_, i) => i).filter((i) =>
    bytes.subarray(i * CHUNK, (i + 1) * CHUNK).some((byte) => byte !== i % 251),
  );
  expect([bytes.length, wrong]).toEqual([stored.sizeBytes, []]);
  await until(() => seen.result !== undefined, { what: 'the answer has ended' });
  expect([seen.result, seen.isClosed]).toEqual([stored.sizeBytes, true]);
});

test('the file is closed when its reader leaves', async () => {
  using served = await serve();
  const { seen, response } = served;
  response.on('error', () => undefined).destroy();
  await until(() => seen.result !== undefined, { what: 'the answer has ended' });
  expect([seen.result, seen.isClosed, seen.given < 1024]).toEqual([0, true, true]);
});

test('an answer breaks off when the file cannot be read to its end', async () => {
  using served = await serve(20);
  const { seen, response } = served;
  await expect(buffer(response)).rejects.toThrow('aborted');
  expect([seen.result, seen.isClosed]).toEqual([new Error('the disk is broken'), true]);
});

test('a file whose name was cut within a character has another one in its place', async () => {
  using served = await serve(Number.POSITIVE_INFINITY, { filename: 'a\ud83d.mp4' });
  served.response.on('error', () => undefined).destroy();
  expect(served.response.headers['content-disposition']).toBe("attachment; filename*=UTF-8''a%EF%BF%BD.mp4");
});
