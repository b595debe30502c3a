import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, vi } from 'vitest';
import { uniquePrefix } from '../../../../tests/support/prefix.ts';
import { S3Path } from '../../../../tests/support/s3-path.ts';
import { startS3, type TestS3 } from '../../../../tests/support/s3-server.ts';
import { Bucket, type BucketLimits } from '../../src/bucket.ts';
import { FileEncryption } from '../../src/encryption.ts';
import { type FileLimits, type FileStore, LocalFiles } from '../../src/index.ts';
import { S3Files } from '../../src/s3-files.ts';

/** An empty place for files. */
export interface Place {
  /** Each is another process. */
  open(limits?: FileLimits, secrets?: readonly string[]): FileStore;
  /** Names of what is stored. */
  names(): Promise<string[]>;
  /** What is stored under the names that match. */
  stored(names: RegExp): Promise<Buffer[]>;
  /** Changes what is stored under each name that matches. */
  change(names: RegExp, change: (stored: Buffer) => Uint8Array): Promise<void>;
  /** Makes everything two minutes older. */
  age(): Promise<void>;
  /** As an operator does who gives the place to another deployment. */
  forgetDeployment(): Promise<void>;
}

export interface Folder extends Place {
  readonly path: string;
}

export interface S3Place extends Place {
  readonly path: S3Path;
  readonly bucket: Bucket;
  readonly prefix: string;
  /** A process with other limits of its requests. */
  openWith(of: BucketLimits, limits?: FileLimits): FileStore;
}

const small = { maxFileBytes: 1_000, maxBytesPerPrincipal: 2_000 };

export async function newFolder(): Promise<Folder> {
  const path = await mkdtemp(join(tmpdir(), 'files-'));
  const names = async (): Promise<string[]> =>
    (await readdir(path, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
      .map((entry) => join(entry.parentPath, entry.name).slice(path.length + 1));
  return {
    path,
    names,
    stored: async (pattern) =>
      Promise.all((await names()).filter((name) => pattern.test(name)).map((name) => readFile(join(path, name)))),
    change: async (pattern, change) => {
      for (const name of (await names()).filter((each) => pattern.test(each)))
        await writeFile(join(path, name), change(await readFile(join(path, name))));
    },
    open: (limits = small, secrets = []) => new LocalFiles(path, limits, new FileEncryption(secrets)),
    age: async () => {
      const past = new Date(Date.now() - 120_000);
      for (const name of await names()) await utimes(join(path, name), past, past);
    },
    forgetDeployment: () => rm(join(path, '.deployment')),
  };
}

let sharedS3: Promise<TestS3> | undefined;

/** For the tests of a file: the server of this process, which ends with it, and a way to it. @returns makes a place */
export function useS3(): () => Promise<S3Place> {
  let server: TestS3;
  let path: S3Path;
  beforeAll(async () => {
    sharedS3 ??= startS3();
    server = await sharedS3;
    path = await new S3Path(server.endpoint).start();
    for (const [name, text] of Object.entries(server.env)) vi.stubEnv(name, text);
  }, 300_000);
  afterAll(async () => {
    await path[Symbol.asyncDispose]();
    vi.unstubAllEnvs();
  });
  return async () => {
    path.fate = () => 'passes';
    path.requests.length = 0;
    const prefix = `files/${uniquePrefix()}/`;
    const at = { bucket: server.bucket, prefix, region: 'us-east-1' };
    const bucket = new Bucket({ ...at, endpoint: server.endpoint });
    const names = async (): Promise<string[]> =>
      (await Array.fromAsync(bucket.list(prefix)))
        .map(({ key }) => key.slice(prefix.length))
        .filter((name) => !name.startsWith('.'));
    const client = new S3Client({ endpoint: server.endpoint, forcePathStyle: true, region: at.region });
    const read = async (name: string): Promise<Buffer> => {
      const { Body } = await client.send(new GetObjectCommand({ Bucket: server.bucket, Key: prefix + name }));
      return Buffer.from((await Body?.transformToByteArray()) ?? []);
    };
    return {
      path,
      bucket,
      prefix,
      names,
      stored: async (pattern) => Promise.all((await names()).filter((name) => pattern.test(name)).map(read)),
      change: async (pattern, change) => {
        for (const name of (await names()).filter((each) => pattern.test(each)))
          await bucket.put(prefix + name, change(await read(name)));
      },
      open: (limits = small, secrets = []) =>
        new S3Files(async () => new Bucket({ ...at, endpoint: path.endpoint }), limits, new FileEncryption(secrets)),
      openWith: (of, limits = small) => {
        const limited = new Bucket({ ...at, endpoint: path.endpoint }, of);
        return new S3Files(async () => limited, limits, new FileEncryption([]));
      },
      age: async () => path.age((await names()).map((name) => `/${server.bucket}/${prefix}${name}`)),
      forgetDeployment: () => bucket.remove(`${prefix}.deployment`),
    };
  };
}
