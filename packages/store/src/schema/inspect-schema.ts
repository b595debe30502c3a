import { onConnection } from '../redis/connection.ts';
import type { RedisAccess, StoreSettings } from '../redis/settings.ts';
import { Schema, type SchemaReading } from './schema.ts';

/** As `Schema.read`, over a connection of its own. @throws {StoreError} this release must not work here */
export function inspectSchema(
  settings: RedisAccess & Pick<StoreSettings, 'prefix' | 'shards'> & Partial<Pick<StoreSettings, 'deployment'>>,
): Promise<SchemaReading> {
  const { prefix, shards, deployment = 0 } = settings;
  return onConnection(settings, (redis) => new Schema(redis, { prefix, shards, deployment, program: '' }).read());
}
