import { filesAt } from '@switchyard/files';
import { freePort } from '@switchyard/local';
import { startS3 } from '../../../tests/support/s3-server.ts';
import { FaultProxy } from '../redis/fault-proxy.ts';

/** Files in a bucket of S3 behind a proxy. */
export interface Bucket extends AsyncDisposable {
  /** Settings of gateways and workers. */
  readonly env: Readonly<Record<string, string>>;
  /** Of its credentials. */
  readonly secret: string;
  readonly proxy: FaultProxy;
  /** Connections are refused from now on, until it is called with false. Objects stay, as on a disk. */
  refuse(isRefused: boolean): void;
  /** Removes all files of tasks that do not exist, however young they are. */
  sweep(deployment: string, existing: (taskIds: readonly string[]) => Promise<ReadonlySet<string>>): Promise<void>;
  /** The keys of all objects. */
  objects(): Promise<readonly string[]>;
}

const limits = { maxFileBytes: 1024 ** 3, maxBytesPerPrincipal: 1024 ** 4 };

export async function startBucket(): Promise<Bucket> {
  await using owned = new AsyncDisposableStack();
  const s3 = owned.use(await startS3());
  const [target, nowhere] = [Number(new URL(s3.endpoint).port), await freePort()];
  const proxy = owned.use(await FaultProxy.start(target));
  // Credentials are read from the environment: those of `sweep` are this process'.
  Object.assign(process.env, s3.env);
  const url = (port: number): string => `s3://${s3.bucket}/files?endpoint=http://127.0.0.1:${port}`;
  const kept = owned.move();
  return {
    env: {
      ...s3.env,
      FILES_URL: url(proxy.port),
      FILES_SWEEP_MS: '3000',
      // A client may repeat a message for as long.
      FILES_UNUSED_MS: '180000',
    },
    secret: s3.env.AWS_SECRET_ACCESS_KEY ?? '',
    proxy,
    refuse(isRefused) {
      proxy.target = isRefused ? nowhere : target;
      proxy.cut();
    },
    async sweep(deployment, existing) {
      await filesAt(url(target), limits).sweep({ deployment, number: 0, existing, unusedMs: 0, markMs: 0 });
    },
    objects: () => s3.objects(),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
