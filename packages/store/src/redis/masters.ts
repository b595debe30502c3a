import { Cluster, type Redis } from 'ioredis';
import type { RedisConnection } from './connection.ts';

/** The masters of a Cluster; otherwise the one server. */
export function mastersOf(connection: RedisConnection): Redis[] {
  return connection instanceof Cluster ? connection.nodes('master') : [connection];
}

/** The reply of INFO as a record. @param section unset: the default sections */
export async function infoOf(node: Redis, section?: string): Promise<Readonly<Record<string, string | undefined>>> {
  const info = await (section === undefined ? node.info() : node.info(section));
  return Object.fromEntries(info.split('\r\n').map((line) => line.split(':')));
}
