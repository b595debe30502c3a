import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { filesUri, type Part } from '@switchyard/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createUpload, sendPiece, storedBytes } from '../../../tests/support/tus.ts';
import { until } from '../../../tests/support/until.ts';
import { type ErrorBody, get, post, type Sent, userMessage } from './support/client.ts';
import { openStage, type Stage } from './support/stage.ts';

const keyOf = (subject: string) => `key-of-${subject}-0123456789`;
const as = (subject: string) => ({ 'x-api-key': keyOf(subject) });
const limits = { maxFileBytes: 1_000_000, maxBytesPerPrincipal: 2_000_000 };

let stage: Stage;
let folder: string;
let url: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gateway-files-'));
  const keys = ['ada', 'bob', 'eve', 'carl'].map((subject) => ({
    key: keyOf(subject),
    subject,
    tenant: 'default',
    scopes: subject === 'eve' ? ['read'] : [],
  }));
  stage = await openStage({ gateway: { auth: { keys }, files: { url: `file://${folder}`, ...limits } } });
  ({ url } = stage);
});

afterAll(() => stage[Symbol.asyncDispose]());

interface Uploaded {
  readonly part: Part & { url: string };
  readonly sizeBytes: number;
  readonly sha256: string;
}

async function upload(content: string, headers: Record<string, string> = {}, query = ''): Promise<Response> {
  return fetch(`${url}/files${query}`, {
    method: 'POST',
    body: Buffer.from(content),
    headers: { ...as('ada'), ...headers },
  });
}

async function uploaded(content: string, query = ''): Promise<Uploaded> {
  return (await upload(content, { 'content-type': 'text/plain' }, query)).json() as Promise<Uploaded>;
}

const reasonOf = async (response: Response): Promise<string> => ((await response.json()) as ErrorBody).error.message;

describe('An uploaded file', () => {
  it('is served as it came, as an attachment', async () => {
    const response = await upload('a,b', { 'content-type': 'text/csv' }, '?filename=t%C3%A4gl.csv');
    const { part, ...facts } = (await response.json()) as Uploaded;
    const sha256 = createHash('sha256').update('a,b').digest('hex');
    expect([response.status, response.headers.get('location'), facts]).toEqual([
      201,
      part.url,
      { sizeBytes: 3, sha256 },
    ]);
    expect(part).toEqual({ url: expect.stringMatching(`^${url}/files/`), filename: 'tägl.csv', mediaType: 'text/csv' });
    const got = await fetch(part.url, { headers: as('ada') });
    expect([got.status, await got.text()]).toEqual([200, 'a,b']);
    expect(Object.fromEntries(got.headers)).toMatchObject({
      'content-type': 'text/csv',
      'content-length': '3',
      'content-disposition': "attachment; filename*=UTF-8''t%C3%A4gl.csv",
      'cache-control': 'private, no-cache',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
      'x-content-type-options': 'nosniff',
      etag: `"${sha256}"`,
    });
  });

  it('is served in parts, and not again to who has it', async () => {
    const { part, sha256 } = await uploaded('0123456789');
    const read = async (headers: Record<string, string>) => {
      const got = await fetch(part.url, { headers: { ...as('ada'), ...headers } });
      return [got.status, await got.text(), got.headers.get('content-range')];
    };
    expect(await read({ range: 'bytes=2-4' })).toEqual([206, '234', 'bytes 2-4/10']);
    expect(await read({ range: 'bytes=7-' })).toEqual([206, '789', 'bytes 7-9/10']);
    expect(await read({ range: 'bytes=-2', 'if-range': `"${sha256}"` })).toEqual([206, '89', 'bytes 8-9/10']);
    expect(await read({ range: 'bytes=2-4', 'if-range': '"other"' })).toEqual([200, '0123456789', null]);
    expect(await read({ range: 'bytes=10-' })).toEqual([416, '', 'bytes */10']);
    expect(await read({ range: 'bytes=0-1,4-5' })).toEqual([200, '0123456789', null]);
    expect(await read({ 'if-none-match': `"${sha256}"` })).toEqual([304, '', null]);
    const head = await fetch(part.url, { method: 'HEAD', headers: as('ada') });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, '10']);
  });

  it('does not exist for others, whatever they ask', async () => {
    const { part } = await uploaded('secret');
    const nothing = `${url}/files/${'0'.repeat(32)}-6`;
    const answers = async (method: string) => {
      const [other, missing] = await Promise.all(
        [part.url, nothing].map(async (each) => {
          const got = await fetch(each, { method, headers: as('bob') });
          return [got.status, (await got.text()).replaceAll(/[\da-f]{32}-6/g, '<id>')];
        }),
      );
      expect(other).toEqual(missing);
      return other?.[0];
    };
    expect([await answers('GET'), await answers('HEAD'), await answers('DELETE')]).toEqual([404, 404, 404]);
    expect(await storedBytes(part.url, as('bob'))).toBeNaN();
    expect((await fetch(part.url)).status).toBe(401);
  });

  it('is removed by its owner, and by nobody without the scope', async () => {
    const { part } = await uploaded('x');
    const remove = async (subject: string) =>
      (await fetch(part.url, { method: 'DELETE', headers: as(subject) })).status;
    expect([await remove('eve'), await remove('ada'), await remove('ada')]).toEqual([403, 204, 404]);
    expect((await upload('x', as('eve'))).status).toBe(403);
  });
});

describe('An upload', () => {
  it('is refused with the limit and its setting', async () => {
    const large = await upload('x'.repeat(1_000_001));
    expect([large.status, await reasonOf(large)]).toEqual([413, expect.stringContaining('MAX_FILE_BYTES')]);
    for (const size of [999_999, 999_999]) await upload('x'.repeat(size), as('carl'));
    const full = await upload('xxx', as('carl'));
    expect([full.status, await reasonOf(full)]).toEqual([429, expect.stringContaining('MAX_FILE_BYTES_PER_PRINCIPAL')]);
    const created = await createUpload(url, { sizeBytes: 1_000_001 }, as('ada'));
    expect([created.status, await created.text()]).toEqual([413, expect.stringContaining('MAX_FILE_BYTES')]);
  });

  it('is refused if it is not what it says', async () => {
    const digest = `sha-256=:${createHash('sha256').update('y').digest('base64')}:`;
    const wrong = await upload('x', { 'content-digest': digest });
    expect([wrong.status, await reasonOf(wrong)]).toEqual([400, expect.stringContaining('SHA-256')]);
    expect((await upload('y', { 'content-digest': digest })).status).toBe(201);
    const form = await upload('x', { 'content-type': 'multipart/form-data; boundary=x' });
    expect([form.status, await form.text()]).toEqual([400, expect.stringContaining('not a form')]);
    expect((await upload('x', {}, '?filename=..%2Fx')).status).toBe(400);
    expect((await upload('x', {}, '?name=x')).status).toBe(400);
  });

  it('that breaks off leaves nothing', async () => {
    const before = await everything();
    const half = request(`${url}/files`, { method: 'POST', headers: { ...as('ada'), 'content-length': '100000' } });
    half.on('error', () => undefined);
    half.write('x'.repeat(1_000));
    await until(async () => (await everything()).length > before.length, { what: 'the gateway writes the file' });
    half.destroy();
    await until(async () => (await everything()).length === before.length, { what: 'the half file is removed' });
  });

  it('of no bytes is a file at once', async () => {
    const created = await createUpload(url, { sizeBytes: 0 }, as('ada'));
    const got = await fetch(created.headers.get('location') ?? '', { headers: as('ada') });
    expect([created.status, got.status, await got.text()]).toEqual([201, 200, '']);
  });

  it('goes on at another gateway where it broke off', async () => {
    const created = await createUpload(url, { sizeBytes: 10, filename: 'ten.mp4' }, as('ada'));
    const location = created.headers.get('location') ?? '';
    expect([created.status, location]).toEqual([201, expect.stringMatching(`^${url}/files/[\\da-f]{32}-a$`)]);
    const send = () => sendPiece(location, { offset: 0, piece: endless('01234') }, as('ada')).catch(() => undefined);
    let broken = send();
    const areStored = async () => {
      const bytes = await storedBytes(location, as('ada'));
      // The question ends the request, also one of which nothing has come yet.
      if (bytes === 0) broken = send();
      return bytes === 5;
    };
    await until(areStored, { what: 'five bytes are stored' });
    const other = await stage.another({ auth: { keys: keysOf('ada') }, files: { url: `file://${folder}`, ...limits } });
    const there = location.replace(url, other);
    const conflict = await sendPiece(there, { offset: 3, piece: Buffer.from('x') }, as('ada'));
    const rest = await sendPiece(there, { offset: 5, piece: Buffer.from('56789') }, as('ada'));
    expect([conflict.status, rest.status, rest.headers.get('upload-offset')]).toEqual([409, 204, '10']);
    expect(await storedBytes(location, as('ada'))).toBe(10);
    const got = await fetch(location, { headers: as('ada') });
    expect([await got.text(), got.headers.get('content-type')]).toEqual(['0123456789', 'video/mp4']);
    await broken;
  });
});

describe('A message with a file', () => {
  const messageWith = (part: Part, given = {}) => ({
    message: userMessage('', { parts: [part], ...given }),
    configuration: { returnImmediately: true },
  });

  it('marks the file for its task, the same for a repeated one', async () => {
    const { part } = await uploaded('x');
    const message = messageWith(part);
    const first = await post<Sent>(`${url}/message:send`, message, as('ada'));
    const again = await post<Sent>(`${url}/message:send`, message, as('ada'));
    expect([first.status, again.body.task.id]).toEqual([200, first.body.task.id]);
    expect(await marksOf(part.url)).toEqual([`task-${first.body.task.id}`]);
    const next = await post<Sent>(
      `${url}/message:send`,
      messageWith(part, { contextId: first.body.task.contextId }),
      as('ada'),
    );
    expect((await marksOf(part.url)).sort()).toEqual([first, next].map(({ body }) => `task-${body.task.id}`).sort());
  });

  it('marks the file once for a message to an existing task, however often it is sent', async () => {
    const { part } = await uploaded('x');
    const { body } = await post<Sent>(`${url}/message:send`, messageWith({ text: 'hello' }), as('ada'));
    const { id: taskId, contextId } = body.task;
    const message = messageWith(part, { taskId, contextId });
    const send = () => post<Sent>(`${url}/message:send`, message, as('ada'));
    expect((await send()).status).toBe(200);
    const marks = await marksOf(part.url);
    expect(marks).toEqual([expect.stringMatching(`^task-${taskId},`)]);
    expect((await Promise.all([send(), send(), send()])).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await marksOf(part.url)).toEqual(marks);
    const other = messageWith(
      { ...part, filename: 'other' },
      { taskId, contextId, messageId: message.message.messageId },
    );
    expect((await post<ErrorBody>(`${url}/message:send`, other, as('ada'))).status).not.toBe(200);
    expect(await marksOf(part.url)).toEqual(marks);
  });

  it('is refused if the file is not there, or is not the caller’s; URLs of others pass', async () => {
    const { part } = await uploaded('x');
    const refused = await post<ErrorBody>(`${url}/message:send`, messageWith(part), as('bob'));
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([
      400,
      expect.stringContaining('message.parts[0].url'),
    ]);
    const elsewhere = { url: part.url.replace(url, 'https://files.example') };
    const passed = await post<Sent>(`${url}/message:send`, messageWith(elsewhere), as('bob'));
    expect([passed.status, await marksOf(part.url)]).toEqual([200, []]);
  });

  it('names each URL that no agent can read, and why, before a worker gets it', async () => {
    const parts: Part[] = [
      { url: 'menu.pdf' },
      { url: `${url}/files/5f0c-malformed` },
      { text: 'two files, and' },
      { url: `${url}/files/${'a'.repeat(32)}-1z?download` },
    ];
    const some = await post<ErrorBody>(`${url}/message:send`, messageWith({ text: '' }, { parts }), as('ada'));
    expect([some.status, some.body.error.message]).toEqual([
      400,
      expect.stringMatching(/parts\[0\]\.url must be an absolute.*; message\.parts\[1\]\.url is no file of this/),
    ]);
    const missing = { parts: [parts[3], parts[2], { url: `${url}/files/${'b'.repeat(32)}-1z` }] };
    const { body } = await post<ErrorBody>(`${url}/message:send`, messageWith({ text: '' }, missing), as('ada'));
    expect(body.error.message).toMatch(
      /message\.parts\[0\]\.url is no file of yours.*; message\.parts\[2\]\.url is no/,
    );
  });

  it('is refused by a gateway that stores none', async () => {
    const other = await stage.another({ auth: { keys: keysOf('ada') } });
    const message = messageWith({ url: `${other}/files/${'a'.repeat(32)}-1z` });
    const { status, body } = await post<ErrorBody>(`${other}/message:send`, message, as('ada'));
    expect([status, body.error.message]).toEqual([
      400,
      expect.stringContaining('message.parts[0].url is no file: this gateway stores none (FILES_URL)'),
    ]);
  });
});

it('The agent’s card says where files are uploaded', async () => {
  const { body } = await get<{ capabilities: { extensions: object[] } }>(`${url}/.well-known/agent-card.json`);
  const params = { url: `${url}/files`, maxFileBytes: limits.maxFileBytes };
  expect(body.capabilities.extensions).toContainEqual(expect.objectContaining({ uri: filesUri, params }));
});

it('A body that is too large says where its files can be sent, if they can be', async () => {
  const [auth, maxBodyBytes] = [{ keys: keysOf('ada') }, 1_000];
  const small = await stage.another({ auth, maxBodyBytes, files: { url: `file://${folder}`, ...limits } });
  const message = { message: userMessage('x'.repeat(1_000)) };
  const rest = await post<ErrorBody>(`${small}/message:send`, message, as('ada'));
  const rpc = await post<ErrorBody>(
    small,
    { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: message },
    as('ada'),
  );
  const text = `The body is larger than 1000 bytes: send its files to POST ${small}/files, and in the message their URLs`;
  expect([rest, rpc].map(({ status, body }) => [status, body.error.message])).toEqual([
    [413, text],
    [413, text],
  ]);
  const without = await stage.another({ auth, maxBodyBytes });
  const { body } = await post<ErrorBody>(`${without}/message:send`, message, as('ada'));
  expect(body.error.message).toBe('The body is larger than 1000 bytes');
});

it('An encrypted file is served in clear, and a damaged one is not served', async () => {
  const encrypted = await mkdtemp(join(tmpdir(), 'gateway-files-'));
  const files = { url: `file://${encrypted}`, ...limits, secrets: ['a secret'] };
  const other = await stage.another({ auth: { keys: keysOf('ada') }, files });
  const posted = await fetch(`${other}/files`, { method: 'POST', body: 'plain', headers: as('ada') });
  const { part } = (await posted.json()) as Uploaded;
  expect(await (await fetch(part.url, { headers: as('ada') })).text()).toBe('plain');
  const [content = ''] = (await readdir(encrypted, { recursive: true })).filter((name) => name.endsWith('/content'));
  const stored = await readFile(join(encrypted, content));
  expect(stored.includes('plain')).toBe(false);
  await writeFile(join(encrypted, content), stored.fill(0, 20));
  const got = await fetch(part.url, { headers: as('ada') });
  expect([got.status, await got.text()]).toEqual([500, expect.not.stringContaining('plain')]);
});

it('Without FILES_URL there are no files', async () => {
  const other = await stage.another();
  expect((await fetch(`${other}/files`, { method: 'POST', body: 'x' })).status).toBe(404);
  const { body } = await get(`${other}/.well-known/agent-card.json`);
  expect(JSON.stringify(body)).not.toContain(filesUri);
});

const keysOf = (subject: string) => [{ key: keyOf(subject), subject, tenant: 'default', scopes: [] }];

async function* endless(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
  await new Promise(() => undefined);
}

async function everything(): Promise<string[]> {
  return readdir(folder, { recursive: true });
}

/** Names of the tasks for which a file is kept. */
async function marksOf(fileUrl: string): Promise<string[]> {
  const id = fileUrl.slice(fileUrl.lastIndexOf('/') + 1);
  const marks = (await everything()).filter((path) => path.includes(`/${id}/task-`));
  return marks.map((path) => path.slice(path.lastIndexOf('/') + 1));
}
