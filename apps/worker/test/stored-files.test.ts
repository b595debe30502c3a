import { mkdtemp } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { AgentError, RetryableError, TurnMisuseError } from '@switchyard/agent';
import { type FileAtUrl, faultOf } from '@switchyard/agent/runtime';
import { LocalFiles } from '@switchyard/files';
import { AddressPolicy, type GuardedClient, type GuardedClientOptions, guardedClient } from '@switchyard/outgoing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StoredFiles } from '../src/files/stored-files.ts';

const owner = { owner: 'default/ada', taskId: 'task', agent: 'filer', attempt: 1 };
const { signal } = new AbortController();

let server: Server;
let url: string;
let local: LocalFiles;
let inside: GuardedClient;
let outside: GuardedClient;

beforeAll(async () => {
  server = createServer((request, response) => {
    if (request.url === '/cut') return void response.write('a,b', () => response.destroy());
    if (request.url === '/long') return void response.end('x'.repeat(11));
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
  new StoredFiles({ local, client, publicUrl, maxRawBytes: 10 }, owner);

/** A client of its own, which ends with its test. */
function clientTo(given: Pick<GuardedClientOptions, 'policy' | 'resolve'>) {
  const client = guardedClient({ timeoutMs: 10_000, maxBytes: 10, ...given });
  return { client, [Symbol.asyncDispose]: () => client.destroy() };
}

async function failureOf(client: GuardedClient, file: FileAtUrl, attempt = 1): Promise<Error> {
  const files = new StoredFiles({ local, client, publicUrl: url, maxRawBytes: 10 }, { ...owner, attempt });
  const failed = await files.open(file, signal).catch((error: unknown) => error);
  return failed instanceof Error ? failed : new Error('The file was read.');
}

async function* content(chunk: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(chunk);
}

describe('The URL of another server', () => {
  it('is read at an allowed address', async () => {
    const { stream, ...facts } = await filesOf(inside).open({ url: `${url}/a` }, signal);
    expect([await text(stream), facts]).toEqual(['a,b', { mediaType: 'text/csv' }]);
  });

  it('is not connected to at another one, and the client learns nothing of what a name stands for', async () => {
    const policy = new AddressPolicy({ allowHttp: true, allowHosts: [] });
    await using resolving = clientTo({ policy, resolve: async () => ['127.0.0.1'] });
    const asked = { url: `${url.replace('127.0.0.1', 'files.test')}/a`, filename: 'a.csv' };
    const refused = await failureOf(resolving.client, asked);
    expect(refused).toBeInstanceOf(AgentError);
    expect(refused.message).toBe('The file "a.csv" cannot be read: its URL is not at an allowed address.');
  });

  it.each([
    ['ftp://files.test/a', 'the URL must begin with https://'],
    ['http://127.0.0.1/a?token=1', 'the URL must not be an address of a private network'],
  ])('says what is wrong with its text: %s', async (wrong, reason) => {
    const { message } = await failureOf(outside, { url: wrong });
    expect(message).toBe(`The file ${wrong.replace(/\?.*/, '')} cannot be read: ${reason}.`);
  });

  it.each([301, 403, 404])(
    'fails the task for good with %i, names the file, and says it to operators',
    async (status) => {
      const refused = await failureOf(inside, { url: `${url}/${status}`, filename: 'a.csv' });
      expect(refused.message).toBe(`The file "a.csv" cannot be read: its server answers ${status}.`);
      expect([faultOf(refused).kind, refused]).toEqual(['file-refused', expect.objectContaining({ status })]);
    },
  );

  it('is tried again when its server is busy', async () => {
    const busy = filesOf(inside).open({ url: `${url}/503` }, signal);
    await expect(busy).rejects.toMatchObject({ name: 'RetryableError', retryAfterMs: 2_000 });
  });

  it('is tried again when its server refuses the connection, and says so', async () => {
    const refused = await failureOf(inside, { url: 'http://127.0.0.1:1/a' });
    expect(refused).toBeInstanceOf(RetryableError);
    expect(refused.message).toBe('The file http://127.0.0.1:1/a cannot be read: its server refuses the connection.');
  });

  it('is tried once more when its host does not exist, and not again', async () => {
    const missing = Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
    const policy = new AddressPolicy({ allowHttp: true, allowHosts: [] });
    await using resolving = clientTo({ policy, resolve: () => Promise.reject(missing) });
    const at = { url: 'http://no-such-host.test/menu.pdf?token=1' };
    const text = 'The file http://no-such-host.test/menu.pdf cannot be read: the host in its URL does not exist.';
    const [first, second] = [await failureOf(resolving.client, at), await failureOf(resolving.client, at, 2)];
    expect([first, second]).toEqual([expect.any(RetryableError), expect.any(AgentError)]);
    expect([first.message, second.message]).toEqual([text, text]);
  });

  it('that breaks off, or becomes too long while it is read, says so', async () => {
    const read = (path: string) =>
      filesOf(inside)
        .open({ url: `${url}/${path}` }, signal)
        .then(({ stream }) => text(stream));
    await expect(read('cut')).rejects.toMatchObject({
      name: 'RetryableError',
      message: `The file ${url}/cut cannot be read: its server broke the connection off.`,
    });
    await expect(read('long')).rejects.toMatchObject({
      name: 'AgentError',
      message: `The file ${url}/long cannot be read: the response is longer than 10 bytes.`,
    });
  });
});

describe('A file of the deployment', () => {
  it('is written for the task, and read again without the network', async () => {
    const part = await filesOf(outside, `${url}/base/`).write(content('c,d'), { name: 'a.csv', mediaType: 'text/csv' });
    const [, id = ''] = /\/base\/files\/(.+)$/.exec(part.url ?? '') ?? [];
    expect(part).toEqual({ url: `${url}/base/files/${id}`, filename: 'a.csv', mediaType: 'text/csv' });
    expect(await local.find(owner.owner, id)).toMatchObject({ agent: 'filer', sizeBytes: 3 });
    const { stream, ...facts } = await filesOf(outside).open({ url: part.url ?? '' }, signal);
    expect([await text(stream), facts]).toEqual(['c,d', { filename: 'a.csv', mediaType: 'text/csv', sizeBytes: 3 }]);
  });

  it('of another principal is the URL of another server', async () => {
    const part = await filesOf(outside).write(content('x'), {});
    const other = new StoredFiles(
      { local, client: outside, publicUrl: url, maxRawBytes: 10 },
      { ...owner, owner: 'default/bob' },
    );
    await expect(other.open({ url: part.url ?? '' }, signal)).rejects.toThrow('private network');
  });

  it('is refused with the limit, or the setting that is missing', async () => {
    const large = filesOf(outside).write(content('x'.repeat(11)), {});
    await expect(large).rejects.toThrow(TurnMisuseError);
    await filesOf(outside).write(content('x'.repeat(10)), {});
    const over = filesOf(outside).write(content('xxxxx'), { name: 'b.csv' });
    await expect(over).rejects.toThrow(/^"b\.csv" is not stored\. .*MAX_FILE_BYTES_PER_PRINCIPAL/);
    const nowhere = new StoredFiles({ local: undefined, client: outside, publicUrl: url, maxRawBytes: 10 }, owner);
    await expect(nowhere.write(content('x'), {})).rejects.toThrow('FILES_URL');
    const unknown = new StoredFiles({ local, client: outside, publicUrl: undefined, maxRawBytes: 10 }, owner);
    await expect(unknown.write(content('x'), {})).rejects.toThrow('PUBLIC_URL');
  });
});
