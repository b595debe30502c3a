export { type RequireRedisOptions, requireRedis } from './bring/require-redis.ts';
export { freePort, isPortTaken } from './processes/free-port.ts';
export { type Guarded, type GuardedOptions, spawnGuarded } from './processes/guard.ts';
export { askRedis } from './redis/ask-redis.ts';
export { type EmbeddedRedis, type EmbeddedRedisSettings, openEmbeddedRedis } from './redis/embedded-redis.ts';
export { findRedisServer } from './redis/find-redis.ts';
export {
  type RedisFiles,
  type RedisServer,
  type RedisServerSettings,
  redisImage,
  startRedisServer,
} from './redis/redis-server.ts';
