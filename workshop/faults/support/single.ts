import type { RedisDeployment } from './deployment.ts';
import { dataSettings, RedisNode } from './redis-node.ts';
import { temporaryFolder } from './temporary-folder.ts';

export interface SingleOptions {
  readonly settings?: Readonly<Record<string, string>>;
}

/** One Redis that keeps an append-only file. */
export async function startSingle({ settings = {} }: SingleOptions = {}): Promise<RedisDeployment> {
  const folder = await temporaryFolder();
  const node = await RedisNode.create({ folder: folder.path, settings: { ...dataSettings, ...settings } });
  await node.start();
  const stop = async (): Promise<void> => {
    await node.kill();
    await folder.remove();
  };
  return {
    url: `redis://127.0.0.1:${node.port}`,
    shards: 1,
    nodes: [node],
    masters: async () => [node],
    settled: async () => undefined,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
