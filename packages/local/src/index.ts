export { type RequireRedisOptions, requireRedis } from './install/require-redis.ts';
export { freePort, isPortTaken } from './processes/free-port.ts';
export { type GuardedOptions, type GuardedProcess, spawnGuarded } from './processes/guarded-process.ts';
export { type EmbeddedRedis, type EmbeddedRedisSettings, openEmbeddedRedis } from './redis/embedded-redis.ts';
export { findRedisServer } from './redis/find-redis.ts';
export { sendRedisCommand } from './redis/redis-command.ts';
export {
  type RedisFiles,
  type RedisServer,
  type RedisServerSettings,
  redisImage,
  startRedisServer,
} from './redis/redis-server.ts';
