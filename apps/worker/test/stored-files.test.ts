import { mkdtemp } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { AgentError, RetryableError, TurnMisuseError } from '@switchyard/agent';
import { LocalFiles } from '@switchyard/files';
import { AddressPolicy, type GuardedClient, guardedClient } from '@switchyard/outgoing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StoredFiles } from '../src/files/stored-files.ts';

const owner = { owner: 'default/ada', taskId: 'task', agent: 'filer' };
const { signal } = new AbortController();

let server: Server;
let url: string;
let local: LocalFiles;
let inside: GuardedClient;
let outside: GuardedClient;

beforeAll(async () => {
  server = createServer((request, response) => {
    const status = Number(request.url?.slice(1));
    response.writeHead(status || 200, { 'content-type': 'text/csv', 'retry-after': '2', location: '/' }).end('a,b');
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  local = new LocalFiles(await mkdtemp(join(tmpdir(), 'stored-files-')), {
    maxFileBytes: 10,
    maxBytesPerPrincipal: 15,
  });
  const limits = { timeoutMs: 10_000, maxBytes: 10 };
  inside = guardedClient({ policy: new AddressPolicy({ allowHttp: true, allowHosts: ['127.0.0.0/8'] }), ...limits });
  outside = guardedClient({ policy: new AddressPolicy({ allowHttp: true, allowHosts: [] }), ...limits });
});

afterAll(async () => {
  await Promise.all([inside.destroy(), outside.destroy()]);
  await new Promise((resolve) => void server.close(resolve));
});

const filesOf = (client: GuardedClient, publicUrl: string | undefined = url) =>
  new StoredFiles({ local, client, publicUrl }, owner);

async function* content(chunk: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(chunk);
}

describe('The URL of another server', () => {
  it('is read at an allowed address', async () => {
    const { stream, ...facts } = await filesOf(inside).open(`${url}/a`, signal);
    expect([await text(stream), facts]).toEqual(['a,b', { mediaType: 'text/csv' }]);
  });

  it('is not connected to at another one, and the client learns nothing of it', async () => {
    const refused = await filesOf(outside)
      .open(`${url}/a`, signal)
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(AgentError);
    expect(String(refused)).not.toMatch(/127|private|loopback/);
  });

  it.each([301, 403, 404])('fails the task for good with %i', async (status) => {
    await expect(filesOf(inside).open(`${url}/${status}`, signal)).rejects.toBeInstanceOf(AgentError);
  });

  it('is tried again when its server is busy, or does not answer', async () => {
    const busy = filesOf(inside).open(`${url}/503`, signal);
    await expect(busy).rejects.toMatchObject({ name: 'RetryableError', retryAfterMs: 2_000 });
    await expect(filesOf(inside).open('http://127.0.0.1:1/a', signal)).rejects.toBeInstanceOf(RetryableError);
  });
});

describe('A file of the deployment', () => {
  it('is written for the task, and read again without the network', async () => {
    const part = await filesOf(outside, `${url}/base/`).write(content('c,d'), { name: 'a.csv', mediaType: 'text/csv' });
    const [, id = ''] = /\/base\/files\/(.+)$/.exec(part.url ?? '') ?? [];
    expect(part).toEqual({ url: `${url}/base/files/${id}`, filename: 'a.csv', mediaType: 'text/csv' });
    expect(await local.find(owner.owner, id)).toMatchObject({ agent: 'filer', sizeBytes: 3 });
    const { stream, ...facts } = await filesOf(outside).open(part.url ?? '', signal);
    expect([await text(stream), facts]).toEqual(['c,d', { filename: 'a.csv', mediaType: 'text/csv', sizeBytes: 3 }]);
  });

  it('of another principal is the URL of another server', async () => {
    const part = await filesOf(outside).write(content('x'), {});
    const other = new StoredFiles({ local, client: outside, publicUrl: url }, { ...owner, owner: 'default/bob' });
    await expect(other.open(part.url ?? '', signal)).rejects.toThrow('allowed address');
  });

  it('is refused with the limit, or the setting that is missing', async () => {
    const large = filesOf(outside).write(content('x'.repeat(11)), {});
    await expect(large).rejects.toThrow(TurnMisuseError);
    await filesOf(outside).write(content('x'.repeat(10)), {});
    await expect(filesOf(outside).write(content('xxxxx'), {})).rejects.toThrow('MAX_FILE_BYTES_PER_PRINCIPAL');
    const nowhere = new StoredFiles({ local: undefined, client: outside, publicUrl: url }, owner);
    await expect(nowhere.write(content('x'), {})).rejects.toThrow('FILES_URL');
    const unknown = new StoredFiles({ local, client: outside, publicUrl: undefined }, owner);
    await expect(unknown.write(content('x'), {})).rejects.toThrow('PUBLIC_URL');
  });
});
