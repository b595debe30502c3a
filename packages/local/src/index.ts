export { type InstalledProgram, installIntoCache } from './install/install-into-cache.ts';
export { type RequireRedisOptions, requireRedis } from './install/require-redis.ts';
export { installWheel, type Wheel, wheelForThisPlatform } from './install/wheel.ts';
export { freePort, isPortTaken } from './processes/free-port.ts';
export { type GuardedOptions, type GuardedProcess, spawnGuarded } from './processes/guarded-process.ts';
export { type EmbeddedRedis, type EmbeddedRedisSettings, openEmbeddedRedis } from './redis/embedded-redis.ts';
export { type Environment, findRedisServer, redisCacheFolder } from './redis/find-redis.ts';
export { sendRedisCommand } from './redis/redis-command.ts';
export {
  type RedisFiles,
  type RedisServer,
  type RedisServerSettings,
  redisImage,
  startRedisServer,
} from './redis/redis-server.ts';
