import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { request as requestTls } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createGateway, type GatewaySettings } from '@switchyard/gateway';
import type { Part } from '@switchyard/protocol';
import { Store } from '@switchyard/store';
import { createLog } from '@switchyard/telemetry';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { hasProgram, skippedFor } from '../support/has-program.ts';
import { uniquePrefix } from '../support/prefix.ts';
import { S3Path } from '../support/s3-path.ts';
import { missingS3, startS3, type TestS3 } from '../support/s3-server.ts';

// Memory is given back, or used again, as soon as it was sent or stored: nobody may see other bytes then.

const MiB = 1024 ** 2;
/** More than the sockets take. */
const large = 8 * MiB;
const roomy = { maxFileBytes: 100 * MiB, maxBytesPerPrincipal: 1_000 * MiB };
const missing = skippedFor(missingS3());
type FileSettings = NonNullable<GatewaySettings['files']>;
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

let store: Store;

beforeAll(async () => {
  store = new Store({ redisUrl: inject('redisUrl'), prefix: uniquePrefix() }, () => undefined);
  await store.start();
});

afterAll(() => store.stop());

function certificate() {
  const folder = mkdtempSync(join(tmpdir(), 'slow-readers-'));
  const name = ['-x509', '-nodes', '-days', '2', '-subj', '/CN=localhost', '-keyout', 'a.key', '-out', 'a.pem'];
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256'];
  execFileSync('openssl', ['req', ...key, ...name], { stdio: 'ignore', cwd: folder });
  return { privateKey: readFileSync(join(folder, 'a.key')), certificate: readFileSync(join(folder, 'a.pem')) };
}

async function serve(files: FileSettings, isTls: boolean) {
  const tls = isTls ? { tls: certificate() } : {};
  const log = createLog({ app: 'gateway', level: 'silent' });
  const gateway = createGateway({ port: 0, defaultAgent: 'any', files, ...tls }, { store, log });
  const { port } = new URL((await gateway.start()).url);
  /** @param body unset: a GET */
  const answerTo = async (path: string, { range, body }: { range?: string; body?: Buffer } = {}) => {
    const options = { port, path, agent: false, method: body ? 'POST' : 'GET', ...(range && { headers: { range } }) };
    const sent = isTls ? requestTls({ ...options, rejectUnauthorized: false }) : request(options);
    sent.end(body);
    const [response]: IncomingMessage[] = await once(sent, 'response');
    if (!response) throw new Error('no response');
    return response;
  };
  return { answerTo, [Symbol.asyncDispose]: () => gateway.stop() };
}

/** Waits before its first chunk, and between some. */
async function readSlowly(response: IncomingMessage, waitMs: number): Promise<Buffer> {
  await delay(waitMs);
  const chunks: Buffer[] = [];
  for await (const chunk of response) if (chunks.push(chunk) % 20 === 0) await delay(waitMs / 50);
  return Buffer.concat(chunks);
}

async function uploaded(response: IncomingMessage): Promise<{ part?: Part; sha256?: string }> {
  return JSON.parse(`${await readSlowly(response, 0)}`);
}

/** Reads some, and leaves. */
async function leave(response: IncomingMessage, afterBytes: number): Promise<void> {
  let bytes = 0;
  for await (const chunk of response) {
    bytes += chunk.length;
    if (bytes > afterBytes) return;
  }
}

async function readersGetTheirBytes(files: FileSettings, isTls: boolean): Promise<void> {
  await using server = await serve(files, isTls);
  const contents = [randomBytes(large), randomBytes(large - 12_345)];
  const sent = await Promise.all(contents.map((body) => server.answerTo('/files', { body })));
  const answers = await Promise.all(sent.map(uploaded));
  expect(answers.map((answer) => answer.sha256)).toEqual(contents.map(sha256));
  const [wrong, leaving]: [string[], Promise<void>[]] = [[], []];
  const reading = Array.from({ length: 12 }, async (_, i) => {
    const [content = Buffer.of(), { part: { url = '' } = {} } = {}] = [contents[i % 2], answers[i % 2]];
    const path = new URL(url).pathname;
    const start = i % 3 === 0 ? i * 99_991 : 0;
    if (i % 4 === 3) leaving.push(server.answerTo(path).then((response) => leave(response, i * 100_000)));
    const response = await server.answerTo(path, start > 0 ? { range: `bytes=${start}-` } : {});
    const got = await readSlowly(response, i * 40);
    if (sha256(got) !== sha256(content.subarray(start))) wrong.push(`reader ${i}: ${got.length} bytes`);
  });
  // Others upload meanwhile, into memory that was given back.
  const uploads = Array.from({ length: 3 }, async () => {
    const body = randomBytes(2 * MiB);
    const answer = await uploaded(await server.answerTo('/files', { body }));
    if (answer.sha256 !== sha256(body)) wrong.push('an upload');
  });
  await Promise.all([...reading, ...uploads]);
  await Promise.all(leaving);
  expect(wrong).toEqual([]);
}

const ways = [
  { isTls: false, secrets: [] },
  { isTls: false, secrets: ['a secret'] },
  ...(hasProgram('openssl', 'version') ? [{ isTls: true, secrets: ['a secret'] }] : []),
];

describe('slow readers, beside others who leave and who upload, get the bytes of their file', () => {
  it.each(ways)('from a folder: %j', async ({ isTls, secrets }) => {
    const folder = await mkdtemp(join(tmpdir(), 'slow-readers-'));
    await readersGetTheirBytes({ url: `file://${folder}`, secrets, ...roomy }, isTls);
    await rm(folder, { recursive: true });
  });

  describe.skipIf(missing)(`from a bucket${missing ? ` (${missing})` : ''}`, () => {
    let s3: TestS3;
    let path: S3Path;

    beforeAll(async () => {
      s3 = await startS3();
      path = await new S3Path(s3.endpoint).start();
      for (const [name, text] of Object.entries(s3.env)) vi.stubEnv(name, text);
    }, 1_200_000);

    afterAll(async () => {
      await path[Symbol.asyncDispose]();
      await s3[Symbol.asyncDispose]();
      vi.unstubAllEnvs();
    });

    it.each(ways)('%j', async ({ isTls, secrets }) => {
      const url = `s3://${s3.bucket}/slow-${isTls}-${secrets.length}?endpoint=${path.endpoint}`;
      await readersGetTheirBytes({ url, secrets, ...roomy }, isTls);
    });
  });
});
