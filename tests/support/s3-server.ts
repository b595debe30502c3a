import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { freePort, redisCacheFolder, spawnGuarded } from '@switchyard/local';
import { isCi } from './has-program.ts';
import { uniquePrefix } from './prefix.ts';
import { until } from './until.ts';

/** A server of the object storage S3, with an empty bucket. */
export interface TestS3 extends AsyncDisposable {
  readonly endpoint: string;
  readonly bucket: string;
  /** The credentials, for programs and for this process. */
  readonly env: Readonly<Record<string, string>>;
  /** The keys of all objects in the bucket. */
  objects(): Promise<readonly string[]>;
}

/** Of PyPI, into the cache folder of the user: moto, which keeps objects in memory. */
const MOTO = '5.2.5';
const { TEST_S3_ENDPOINT: given } = process.env;

/** Why there is no server; undefined: there is one, or it can be installed. In CI always undefined. */
export function missingS3(): string | undefined {
  if (isCi || given !== undefined || spawnSync('python3', ['-m', 'pip', '--version']).status === 0) return undefined;
  return 'no server of S3: neither TEST_S3_ENDPOINT nor Python with pip';
}

/**
 * A private server; or the one at `TEST_S3_ENDPOINT`, with the credentials of the environment, where each call makes a
 * bucket.
 */
export async function startS3(): Promise<TestS3> {
  const { AWS_ACCESS_KEY_ID = 'test', AWS_SECRET_ACCESS_KEY = 'test-secret' } = process.env;
  const env = { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_EC2_METADATA_DISABLED: 'true' };
  const server = given === undefined ? await startMoto() : { endpoint: given, stop: async () => undefined };
  const { endpoint } = server;
  const bucket = uniquePrefix()
    .toLowerCase()
    .replaceAll(/[^a-z\d]/g, '');
  const { CreateBucketCommand, paginateListObjectsV2, S3Client } = await import('@aws-sdk/client-s3');
  const credentials = { accessKeyId: AWS_ACCESS_KEY_ID, secretAccessKey: AWS_SECRET_ACCESS_KEY };
  const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials });
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  return {
    endpoint,
    bucket,
    env,
    async objects() {
      const pages = await Array.fromAsync(paginateListObjectsV2({ client }, { Bucket: bucket }));
      return pages.flatMap(({ Contents = [] }) => Contents.flatMap(({ Key }) => Key ?? []));
    },
    async [Symbol.asyncDispose]() {
      client.destroy();
      await server.stop();
    },
  };
}

async function startMoto() {
  const folder = await installMoto();
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const env = { ...process.env, PYTHONPATH: folder };
  const server = await spawnGuarded('python3', ['-m', 'moto.server', '-p', String(port)], { env });
  let output = '';
  for (const stream of [server.stdout, server.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = `${output}${text}`.slice(-2_000);
    });
  await until(() => fetch(`${endpoint}/moto-api/`).then(({ ok }) => ok), {
    what: 'the server of S3 answers',
    timeoutMs: 60_000,
  }).catch((cause: unknown) => {
    throw new Error(`The server of S3 does not start: ${output}`, { cause });
  });
  return { endpoint, stop: () => server.stop().then(() => undefined) };
}

/** Completely or not at all: several test files may do it at the same time. */
async function installMoto(): Promise<string> {
  const cache = dirname(redisCacheFolder(process.env));
  const folder = join(cache, `moto-${MOTO}`);
  if (existsSync(folder)) return folder;
  await mkdir(cache, { recursive: true });
  const draft = await mkdtemp(join(cache, '.draft-'));
  // Not `moto[server]`: the simulations of all other services take three quarters of the time and space.
  const install = ['-m', 'pip', 'install', '--quiet', '--target', draft, `moto[s3]==${MOTO}`, 'flask', 'flask-cors'];
  try {
    await promisify(execFile)('python3', install);
    await rename(draft, folder).catch((error: unknown) => {
      if (!existsSync(folder)) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return folder;
}
