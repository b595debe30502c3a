export { installIntoCache } from './install/install-into-cache.ts';
export { requireRedis } from './install/require-redis.ts';
export { installWheel, wheelForThisPlatform } from './install/wheel.ts';
export { freePort, isPortTaken } from './processes/free-port.ts';
export { type GuardedOptions, type GuardedProcess, spawnGuarded } from './processes/guarded-process.ts';
export { type EmbeddedRedis, openEmbeddedRedis } from './redis/embedded-redis.ts';
export { type Environment, findRedisServer, redisCacheFolder } from './redis/find-redis.ts';
export { sendRedisCommand } from './redis/redis-command.ts';
export { redisImage, startRedisServer } from './redis/redis-server.ts';
