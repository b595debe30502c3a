/** How Switchyard speaks with Redis: it knows nothing of tasks. */

export type { Redis } from 'ioredis';
export { parseRedisAddress, type RedisAccess, type RedisAddress } from './address.ts';
export { Batches, sendBatchThenEach } from './batches.ts';
export { channelServers } from './channel-servers.ts';
export { Channels } from './channels.ts';
export { checkServers, ioredisProblem, versionProblem } from './check-servers.ts';
export {
  type ClaimedMember,
  type Claims,
  type DamagedMember,
  damagedMembers,
  damagedRow,
  SET_ASIDE_MS,
  workOff,
  workOffShards,
} from './claims.ts';
export {
  type Connections,
  connectWithRetries,
  createConnections,
  onConnection,
  type RedisConnection,
  waitingConnection,
} from './connection.ts';
export { type Deadline, withDeadline } from './deadline.ts';
export { confirmedKeyOf, confirmRead, countConfirmedScript, type DurableDependencies, runDurably } from './durable.ts';
export {
  isOutage,
  isOutOfMemory,
  NotReplicated,
  Outage,
  RedisUnreachable,
  RedisUnusable,
  SlotMoves,
  toError,
} from './errors.ts';
export { HealthCheck } from './health-check.ts';
export { inspectRedis, type RedisInspection } from './inspect-redis.ts';
export { readStream } from './read-stream.ts';
export {
  integer,
  list,
  nothing,
  only,
  optional,
  type Parser,
  text,
  tuple,
  tupleAnd,
  verdict,
  word,
  words,
} from './reply.ts';
export { definedScripts, defineScript, INCLUDE, includedFile, Script, withIncludes } from './script.ts';
export { holderOf, infoOf, masterOf, mastersOf, redisTimeMs } from './servers.ts';
export { crc16, hashTagOf, SLOTS, slotOf } from './slots.ts';
