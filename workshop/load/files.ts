// `npm run workshop files`: a file passes client, gateway, worker, another one of its size the way back, and no process
// has it in memory. How fast, beside a client that writes and reads the folder, or the bucket, itself.

import { randomBytes } from 'node:crypto';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '@switchyard/local';
import { userMessage } from '../../tests/support/messages.ts';
import { growthOf } from '../../tests/support/process-usage.ts';
import { startRedis } from '../../tests/support/redis.ts';
import { getTask, submit } from '../../tests/support/rest.ts';
import { startS3 } from '../../tests/support/s3-server.ts';
import { startStack } from '../../tests/support/stack.ts';
import { createUpload, sendPiece } from '../../tests/support/tus.ts';
import { until } from '../../tests/support/until.ts';
import { count, flag, oneOf, readCommandLine } from '../options.ts';
import { temporaryFolder } from '../system.ts';
import { conclude, mib, number, textTable } from '../tables.ts';

const MiB = 1024 ** 2;
const PIECE = 8 * MiB;
/** What a process may need more while the file passes it. */
const MOST_MEMORY = 250 * MiB;
/** The file of which a gateway shall notice little. */
const SMALLER = 64 * MiB;
const WITHIN_MS = 300_000;

interface Measurement {
  readonly bytes: number;
  readonly place: 'folder' | 'bucket';
  readonly isEncrypted: boolean;
}

/** Who writes and reads without a gateway. */
interface Direct {
  write(pieces: AsyncIterable<Uint8Array>): Promise<void>;
  /** @returns the bytes */
  read(): Promise<number>;
}

/** New bytes each time, in pieces. */
async function* piecesOf(bytes: number): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for (let left = bytes; left > 0; left -= PIECE) yield new Uint8Array(Math.min(left, PIECE));
}

async function lengthOf(content: AsyncIterable<Uint8Array>): Promise<number> {
  let bytes = 0;
  for await (const chunk of content) bytes += chunk.length;
  return bytes;
}

async function bytesAt(url: string): Promise<number> {
  const { ok, body } = await fetch(url);
  return ok && body ? lengthOf(body) : Number.NaN;
}

function inFolder(path: string): Direct {
  return {
    async write(pieces) {
      await using file = await open(path, 'w');
      for await (const piece of pieces) await file.write(piece);
      await file.datasync();
    },
    async read() {
      const file = await open(path);
      return lengthOf(file.createReadStream());
    },
  };
}

/** Requests without signatures, which moto accepts. */
function inBucket(url: string): Direct {
  const ask = async (query: string, init: RequestInit): Promise<Response> => {
    const answer = await fetch(`${url}?${query}`, init);
    if (!answer.ok) throw new Error(`the bucket answers ${answer.status}`);
    return answer;
  };
  return {
    async write(pieces) {
      const begun = await (await ask('uploads', { method: 'POST' })).text();
      const [, upload = ''] = /<UploadId>([^<]+)</.exec(begun) ?? [];
      const parts: string[] = [];
      for await (const body of pieces) {
        const query = `partNumber=${parts.length + 1}&uploadId=${upload}`;
        const { headers } = await ask(query, { method: 'PUT', body: Buffer.from(body) });
        parts.push(`<Part><PartNumber>${parts.length + 1}</PartNumber><ETag>${headers.get('etag')}</ETag></Part>`);
      }
      const body = `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`;
      await (await ask(`uploadId=${upload}`, { method: 'POST', body })).text();
    },
    read: () => bytesAt(url),
  };
}

async function startPlace(place: Measurement['place']) {
  await using parts = new AsyncDisposableStack();
  const folder = parts.use(await temporaryFolder()).path;
  if (place === 'folder') {
    const kept = parts.move();
    const env = { FILES_URL: `file://${folder}/files` };
    return { env, direct: inFolder(join(folder, 'direct')), [Symbol.asyncDispose]: () => kept.disposeAsync() };
  }
  const { endpoint, bucket, env } = parts.use(await startS3());
  const kept = parts.move();
  return {
    env: { ...env, FILES_URL: `s3://${bucket}/files?endpoint=${endpoint}&region=us-east-1` },
    direct: inBucket(`${endpoint}/${bucket}/direct`),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

async function uploaded(url: string, bytes: number): Promise<string> {
  const upload = (await createUpload(url, { sizeBytes: bytes })).headers.get('location') ?? '';
  let offset = 0;
  for await (const piece of piecesOf(bytes)) {
    const { status } = await sendPiece(upload, { offset, piece });
    if (status !== 204) throw new Error(`a piece was answered with ${status}`);
    offset += piece.length;
  }
  return upload;
}

/** Sends a file, which the agent reads, and gets another one. @returns URL of the task's file, and the task */
async function passed(url: string, bytes: number, part: string) {
  const message = { ...userMessage(''), parts: [{ text: `${bytes}` }, { url: part, mediaType: 'video/mp4' }] };
  const { id } = await submit(url, message);
  const isOver = async () => /COMPLETED|FAILED/.test((await getTask(url, id)).status.state);
  await until(isOver, { what: 'the agent has ended', timeoutMs: WITHIN_MS, everyMs: 100 });
  const file = (await getTask(url, id)).artifacts?.[0]?.parts[0]?.url;
  if (file === undefined) throw new Error('the task has no file');
  return { id, file };
}

/** Seconds. */
async function timed(act: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await act();
  return (performance.now() - begun) / 1_000;
}

/** Seconds of each step with a gateway and without, and by how much each process grew. */
async function measureFiles({ bytes, place, isEncrypted }: Measurement) {
  await using parts = new AsyncDisposableStack();
  const { env, direct } = parts.use(await startPlace(place));
  const redis = parts.adopt(await startRedis({ appendOnly: true }), ({ stop }) => stop());
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const secret = isEncrypted ? { FILES_SECRET: randomBytes(32).toString('base64') } : {};
  const limits = { MAX_FILE_BYTES: `${bytes}`, MAX_FILE_BYTES_PER_PRINCIPAL: `${8 * bytes}`, GRPC_PORT: 'off' };
  const settings = { ...env, ...secret, ...limits, PUBLIC_URL: url };
  const options = { redisUrl: redis.url, agents: ['filer'], gateways: 0, workers: 0, env: settings };
  const stack = parts.use(await startStack(options));
  const [gateway, worker] = await Promise.all([stack.addGateway(port), stack.addWorker()]);
  await stack.untilReady();

  // What a process needs for any file, it has then.
  const warm = await passed(url, MiB, await uploaded(url, MiB));
  await bytesAt(warm.file);
  const smaller = await passed(url, SMALLER, await uploaded(url, MiB));
  const [ofSmaller = Number.NaN] = await growthOf([gateway.pid], async () => {
    await bytesAt(smaller.file);
    await getTask(url, smaller.id);
  });

  const seconds = { upload: 0, agent: 0, download: 0, write: 0, read: 0 };
  let read = 0;
  const grown = await growthOf([gateway.pid, worker.pid], async () => {
    let part = '';
    let file = '';
    seconds.upload = await timed(async () => {
      part = await uploaded(url, bytes);
    });
    seconds.agent = await timed(async () => {
      ({ file } = await passed(url, bytes, part));
    });
    seconds.download = await timed(async () => {
      read = await bytesAt(file);
    });
    for (const each of [part, file]) await fetch(each, { method: 'DELETE' });
  });
  seconds.write = await timed(() => direct.write(piecesOf(bytes)));
  seconds.read = await timed(async () => {
    read = Math.min(read, await direct.read());
  });
  return { seconds, grown, ofSmaller, isWhole: read === bytes };
}

if (import.meta.main) {
  const options = {
    mib: count('size of the file in MiB', '2048', ['1', '100000']),
    place: oneOf(['folder', 'bucket'], 'where files are', 'folder'),
    isEncrypted: flag('encrypt them'),
  };
  const given = readCommandLine({ usage: 'npm run workshop files [-- options]', options }).options;
  const bytes = given.mib * MiB;
  const { seconds, grown, ofSmaller, isWhole } = await measureFiles({ ...given, bytes });
  const { upload, agent, download, write, read } = seconds;
  const row = (name: string, passes: number, own: number, other: number) => [
    name,
    `${number((passes * given.mib) / own)} MiB/s`,
    `${number((passes * given.mib) / other)} MiB/s`,
    number(other / own),
  ];
  const rows = [
    row('client to gateway', 1, upload, write),
    row('agent reads and writes', 2, agent, write + read),
    row('gateway to client', 1, download, read),
  ];
  process.stdout.write(`${textTable(['', 'through Switchyard', 'directly', 'ratio'], rows)}\n`);
  const [ofGateway, ofWorker] = grown.map(mib);
  process.stdout.write(`gateway ${ofGateway} more, worker ${ofWorker} more; `);
  process.stdout.write(`gateway ${mib(ofSmaller)} more for a client that reads 64 MiB, and its task\n`);
  conclude(
    isWhole && grown.every((more) => more < MOST_MEMORY),
    'all bytes, and less than 250 MiB more in each process',
  );
}
