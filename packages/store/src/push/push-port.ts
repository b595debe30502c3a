import type { ConsumerPort } from '../queue/consumer.ts';
import type { Queue } from '../queue/queue.ts';
import type { RedisConnection } from '../redis/connection.ts';
import type { Shards } from '../redis/keys.ts';
import type { StoreSettings } from '../redis/settings.ts';
import type { Vault } from '../vault/vault.ts';

export interface PushPort {
  readonly redis: RedisConnection;
  readonly shards: Shards;
  readonly queue: Queue;
  readonly vault: Vault;
  readonly settings: StoreSettings;
  readonly consumers: ConsumerPort;
}

/** KEYS of every script of a webhook: `ShardKeys.webhooks` gives them. */
export const webhookKeys = ['task', 'webhooks', 'push'] as const;
