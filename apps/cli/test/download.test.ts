import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { wireFetch } from '../src/agent/wire.ts';
import { bounded, PROGRESS_MS } from '../src/commands/bounded-download.ts';
import { download } from '../src/commands/download.ts';
import { CommandFailure } from '../src/failures/failure.ts';
import { run } from './support/run.ts';
import { scriptedServer } from './support/scripted-server.ts';

let server: Server;
let url: string;
let folder: string;

beforeAll(async () => {
  server = createServer((request, response) => {
    if (request.url === '/missing') response.writeHead(404).end();
    else response.end('x'.repeat(request.url === '/large' ? 65 * 2 ** 20 : 1_000));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  folder = await mkdtemp(join(tmpdir(), 'download-'));
});

afterAll(() => new Promise((resolve) => void server.close(resolve)));

const linked = (path: string, filename: string) => ({ artifactId: filename, parts: [{ url: url + path, filename }] });

describe('task download', () => {
  it('says how much of how much has arrived, if the answer says it', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const MiB = 1024 ** 2;
    async function* chunks(): AsyncGenerator<Uint8Array> {
      vi.advanceTimersByTime(PROGRESS_MS + 1);
      yield new Uint8Array(MiB);
    }
    const said: string[] = [];
    const of = { maxBytes: 10 * MiB, name: 'film.mp4', from: 2 * MiB, onProgress: (text: string) => said.push(text) };
    const size = { 'content-length': String(4 * MiB) };
    for (const headers of [size, {}, { ...size, 'content-encoding': 'gzip' }])
      await Array.fromAsync(bounded({ ...of, headers: new Headers(headers) })(chunks()));
    expect(said).toEqual(['film.mp4: 3.0 MiB of 6.0 MiB', 'film.mp4: 3.0 MiB', 'film.mp4: 3.0 MiB']);
  });

  it('reads files that are larger than other answers may be', async () => {
    const read = wireFetch({ secrets: [], hasCredentials: false, isFile: true });
    expect((await (await read(`${url}/large`)).arrayBuffer()).byteLength).toBe(65 * 2 ** 20);
  });

  it('saves the others if the gateway refuses a file, which is not asked for again', async () => {
    let asked = 0;
    const request = async (): Promise<never> => {
      asked++;
      throw new CommandFailure('A2ACLI_ERR_AUTH_FAILED', 'The agent refused the call', { a2aCode: 403 });
    };
    const artifacts = [linked('/files/0123456789', 'refused'), { parts: [{ text: 'x', filename: 'own' }] }];
    const options = { dir: join(folder, 'refused'), gateway: { base: url, request } };
    const { files, failed } = await download({ artifacts }, options);
    expect(files.map((file) => basename(file))).toEqual(['own']);
    expect([asked, failed]).toEqual([1, [{ name: 'refused', reason: 'The agent refused the call' }]]);
  });

  it('keeps letters of every script, with their combining marks', async () => {
    const named = ['हिन्दी.txt', 'नमस्ते.md', 'é.txt', 'می\u200cخواهم.txt', '../../etc/passwd', '.hidden'];
    const artifacts = named.map((filename) => ({ artifactId: filename, parts: [{ text: 'x', filename }] }));
    const { files } = await download({ artifacts }, { dir: join(folder, 'names') });
    expect(files.map((file) => basename(file))).toEqual([
      'हिन्दी.txt',
      'नमस्ते.md',
      'é.txt',
      'می\u200cخواهم.txt',
      '__.._etc_passwd',
      '_hidden',
    ]);
  });

  it('keeps the extension of an artifact that is named like a file, and gives one to others', async () => {
    const markdown = { text: 'x', mediaType: 'text/markdown' };
    const artifacts = [
      { artifactId: '1', name: 'packing-list.md', parts: [markdown] },
      { artifactId: '2', name: 'main.py', parts: [{ text: 'x' }, { text: 'y' }] },
      { artifactId: '3', name: 'Letter', parts: [markdown, { data: {} }] },
      { artifactId: '4', name: 'Plan of v1.2', parts: [markdown] },
    ];
    const { files } = await download({ artifacts }, { dir: join(folder, 'extensions') });
    expect(files.map((file) => basename(file))).toEqual([
      'packing-list.md',
      'main-1.py',
      'main-2.py',
      'Letter-1.md',
      'Letter-2.json',
      'Plan of v1.2.md',
    ]);
  });

  it('saves the other files when one is missing or too large, and leaves nothing of those', async () => {
    const dir = join(folder, 'some');
    const artifacts = [linked('/missing', 'a.bin'), linked('/large', 'b.bin'), linked('/c', 'c.bin')];
    const { files, failed } = await download({ artifacts: artifacts.slice(0, 1) }, { dir, maxBytes: 10 });
    expect([files, failed]).toEqual([[], [{ name: 'a.bin', reason: `HTTP 404 at ${url}/missing` }]]);
    const bounded = await download({ artifacts: artifacts.slice(1, 2) }, { dir, maxBytes: 10 });
    expect(bounded.failed[0]?.reason).toContain('larger than');
    expect(await readdir(dir)).toEqual([]);
    await using agent = await scriptedServer({ GetTask: [{ result: { id: 't', artifacts } }] });
    const ran = await run(['task', 'download', 't', '--dir', dir, '-a', agent.url]);
    expect([ran.code, ran.err]).toEqual([1, expect.stringContaining('a.bin was not saved: HTTP 404')]);
    expect(await readFile(join(dir, 'c.bin'), 'utf8')).toHaveLength(1_000);
  });

  it('saves the files in the messages of the agent, each once, and neither their texts nor what the client sent', async () => {
    const dir = join(folder, 'messages');
    const [picture, report] = [
      { raw: 'AAAA', filename: 'a.png' },
      { url: `${url}/r`, filename: 'r.pdf' },
    ];
    const last = { role: 'ROLE_AGENT', parts: [{ text: 'Here it is.' }, report, { raw: 'BBBB' }] };
    const history = [
      { role: 'ROLE_USER', parts: [{ raw: 'CCCC', filename: 'sent.png' }] },
      { role: 'ROLE_AGENT', parts: [picture, report] },
      last,
    ];
    const artifacts = [{ artifactId: 'a', parts: [picture] }];
    const task = { artifacts, history, status: { message: last } };
    const { files } = await download(task, { dir });
    expect(files.map((file) => basename(file))).toEqual(['a.png', 'r.pdf', 'message']);
    expect((await download(task, { dir, artifact: 'a', force: true })).files).toHaveLength(1);
  });

  it('of a task without artifacts is a failure, but no wrong usage', async () => {
    await using agent = await scriptedServer({ GetTask: [{ result: { id: 't' } }] });
    const { code, err } = await run(['task', 'download', 't', '-a', agent.url]);
    expect([code, err]).toEqual([1, expect.stringContaining('The task has no artifacts')]);
  });
});
