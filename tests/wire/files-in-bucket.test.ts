import { createHash, randomBytes } from 'node:crypto';
import { freePort } from '@switchyard/local';
import type { Part, Task } from '@switchyard/protocol';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { skippedFor } from '../support/has-program.ts';
import { userMessage } from '../support/messages.ts';
import { startProgram } from '../support/process.ts';
import { growthOf } from '../support/process-usage.ts';
import { getTask, send, submit } from '../support/rest.ts';
import { S3Path } from '../support/s3-path.ts';
import { missingS3, startS3, type TestS3 } from '../support/s3-server.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { createUpload, sendPiece, storedBytes } from '../support/tus.ts';
import { until } from '../support/until.ts';

const MiB = 1024 ** 2;
const large = 256 * MiB;
/** What a process may need more while the large file passes it. */
const MOST_MEMORY = 120 * MiB;
const missing = skippedFor(missingS3());

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const asking = (text: string, ...parts: Part[]) => ({ ...userMessage(''), parts: [{ text }, ...parts] });

function writtenIn({ artifacts = [] }: Task): string {
  const url = artifacts[0]?.parts[0]?.url;
  if (url === undefined) throw new Error('the task has no file');
  return url;
}

describe.skipIf(missing)(`Gateways and a worker that share a bucket${missing ? ` (${missing})` : ''}`, () => {
  let s3: TestS3;
  let path: S3Path;
  let stack: Stack;
  let url: string;
  let filesUrl: string;

  beforeAll(async () => {
    s3 = await startS3();
    path = await new S3Path(s3.endpoint).start();
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    filesUrl = `s3://${s3.bucket}/files?endpoint=${path.endpoint}`;
    const limit = String(2_048 * MiB);
    const env = { ...s3.env, FILES_URL: filesUrl, PUBLIC_URL: url, MAX_FILE_BYTES: limit };
    stack = await startStack({ redisUrl: inject('redisUrl'), agents: ['filer'], gateways: 0, workers: 0, env });
    await Promise.all([stack.addGateway(port), stack.addGateway(), stack.addWorker()]);
    await stack.untilReady();
  });

  afterAll(async () => {
    await stack.stop();
    await path[Symbol.asyncDispose]();
    await s3[Symbol.asyncDispose]();
  });

  beforeEach(() => {
    path.fate = () => 'passes';
  });

  async function untilCompleted(id: string): Promise<Task> {
    const isDone = async () => (await getTask(url, id)).status.state === 'TASK_STATE_COMPLETED';
    await until(isDone, { what: `task ${id} is completed`, timeoutMs: 200_000 });
    return getTask(url, id);
  }

  it('a client uploads a file, an agent reads it and writes another one, and the client reads a range of that', async () => {
    const bytes = randomBytes(9 * MiB);
    const headers = { 'content-type': 'video/mp4' };
    const uploaded = await fetch(`${url}/files?filename=a.mp4`, { method: 'POST', body: bytes, headers });
    const { part } = (await uploaded.json()) as { part: Part };
    expect([uploaded.status, part]).toMatchObject([201, { filename: 'a.mp4', mediaType: 'video/mp4' }]);
    const task = await untilCompleted((await send(url, asking('copy', part))).id);
    expect(task.status.message?.parts).toEqual([{ text: sha256(bytes) }]);
    const range = await fetch(writtenIn(task), { headers: { range: 'bytes=8388600-8388615' } });
    const [status, got] = [range.status, Buffer.from(await range.arrayBuffer())];
    expect([status, got, range.headers.get('content-range')]).toEqual([
      206,
      bytes.subarray(8_388_600, 8_388_616),
      `bytes 8388600-8388615/${9 * MiB}`,
    ]);
    const whole = await fetch(writtenIn(task));
    expect(sha256(Buffer.from(await whole.arrayBuffer()))).toBe(sha256(bytes));
  });

  it('an upload in pieces goes on at another gateway', async () => {
    const bytes = randomBytes(11 * MiB);
    const created = await createUpload(url, { sizeBytes: bytes.length });
    const here = created.headers.get('location') ?? '';
    const there = here.replace(url, stack.urls.find((each) => each !== url) ?? '');
    for (const [at, from, to] of [
      [here, 0, 3 * MiB],
      [there, 3 * MiB, 10 * MiB],
      [here, 10 * MiB, 11 * MiB],
    ] as const) {
      expect(await storedBytes(at)).toBe(from);
      expect((await sendPiece(at, { offset: from, piece: bytes.subarray(from, to) })).status).toBe(204);
    }
    const whole = await fetch(there);
    expect(sha256(Buffer.from(await whole.arrayBuffer()))).toBe(sha256(bytes));
  });

  it('while the bucket is away clients learn when to come back, operators why, and turns wait', async () => {
    const uploaded = await fetch(`${url}/files`, { method: 'POST', body: 'a,b' });
    const { part } = (await uploaded.json()) as { part: Part & { url: string } };
    path.fate = () => 'breaks';
    const created = await createUpload(url, { sizeBytes: 10 });
    const answers = [
      await fetch(`${url}/files`, { method: 'POST', body: 'x' }),
      await fetch(part.url),
      await fetch(`${url}/message:send`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
        body: JSON.stringify({ message: asking('none', part) }),
      }),
      created,
    ];
    for (const answer of answers) {
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
      const text = await answer.text();
      expect(text).toContain('The store of files is unavailable');
      expect(text).not.toContain(s3.bucket);
    }
    const gateway = stack.gateways.find((each) => each.url === url);
    await gateway?.waitFor(/FILES_URL: the bucket .* does not answer \(ECONNRESET\)/);
    const { id } = await submit(url, asking('10'));
    const [worker] = stack.workers;
    await worker?.waitFor(/FILES_URL: the bucket .* does not answer \(ECONNRESET\)/);
    path.fate = () => 'passes';
    expect(writtenIn(await untilCompleted(id))).toContain('/files/');
    for (const program of stack.programs) expect(program.output()).not.toContain(s3.env.AWS_SECRET_ACCESS_KEY);
  });

  it('a gateway says at its start why nothing can be written, and ends', async () => {
    const env = { ...s3.env, REDIS_URL: inject('redisUrl'), PORT: '0', GRPC_PORT: 'off' };
    const start = (files: string) =>
      startProgram({ file: 'apps/gateway/src/main.ts', env: { ...env, ALLOW_ANONYMOUS: 'true', FILES_URL: files } });
    const nowhere = await start(filesUrl.replace(s3.bucket, 'no-such-bucket'));
    await nowhere.waitFor(/FILES_URL: the bucket "no-such-bucket" at \S+ does not exist/);
    expect(await nowhere.exited).not.toBe(0);
    const secret = await start('s3://key:secret-of-a-url@bucket/files');
    await secret.waitFor(/FILES_URL: must have no credentials: set AWS_ACCESS_KEY_ID/);
    expect(await secret.exited).not.toBe(0);
    expect(secret.output()).not.toContain('secret-of-a-url');
  });

  it('a large file passes gateway, agent and gateway again, and no process has it in memory', async () => {
    const pids = [...stack.gateways, ...stack.workers].map(({ pid }) => pid);
    const grown = await growthOf(pids, async () => {
      const created = await createUpload(url, { sizeBytes: large });
      const upload = created.headers.get('location') ?? '';
      const piece = Buffer.alloc(8 * MiB);
      for (let offset = 0; offset < large; offset += piece.length)
        expect((await sendPiece(upload, { offset, piece })).status).toBe(204);
      const { id } = await submit(url, asking('copy', { url: upload, mediaType: 'video/mp4' }));
      const { body } = await fetch(writtenIn(await untilCompleted(id)));
      let bytes = 0;
      for await (const chunk of body ?? []) bytes += chunk.length;
      expect(bytes).toBe(large);
    });
    process.stdout.write(`grown by ${grown.map((bytes) => Math.round(bytes / MiB)).join(', ')} MiB\n`);
    for (const bytes of grown) expect(bytes).toBeLessThan(MOST_MEMORY);
  });
});
