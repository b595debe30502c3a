import { inspectSchema, type SchemaReading, schema } from '@switchyard/schema';
import { inspectMasters, type MasterInspection, RedisUnusable } from '@switchyard/store';
import { CommandFailure } from '../failures/failure.ts';
import type { Invocation } from '../session/session.ts';
import { type DeploymentRedis, deploymentsRedis } from './deployment-redis.ts';
import { type Finding, ofDeployment } from './finding.ts';

const oldestRedis = 7;

/** The Redis of each deployment. */
export async function checkRedis(invocation: Invocation): Promise<Finding[]> {
  try {
    const all = await deploymentsRedis(invocation);
    const found = await Promise.all(all.map(checkDeployment));
    return all.flatMap(({ deployment }, i) => ofDeployment(found[i] ?? [], all.length > 1 ? deployment : undefined));
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    return [{ verdict: 'warning', text: `Redis was not checked: ${error.message}`, todo: error.hint ?? 'Correct it.' }];
  }
}

async function checkDeployment(settings: DeploymentRedis): Promise<Finding[]> {
  try {
    const masters = await inspectMasters(settings);
    return [...masters.flatMap(redisFindings), ...shardFindings(masters), ...(await checkSchema(settings))];
  } catch (error) {
    if (!(error instanceof RedisUnusable)) throw error;
    return [{ verdict: 'problem', text: error.message, todo: 'Start Redis, or set REDIS_URL to its address.' }];
  }
}

async function checkSchema(settings: Parameters<typeof inspectSchema>[0]): Promise<Finding[]> {
  try {
    return schemaFindings(await inspectSchema(settings));
  } catch (error) {
    if (!(error instanceof RedisUnusable)) throw error;
    return [{ verdict: 'problem', text: error.message }];
  }
}

function schemaFindings({ version, oldest, migrated, release, programs }: SchemaReading): Finding[] {
  if (release === '') return [{ verdict: 'ok', text: 'No Switchyard has used this Redis yet' }];
  const older = programs.filter((program) => program.version < schema.version).map(({ id }) => id);
  const text = `Schema version ${version}, written by ${release}, for programs of schema version ${oldest} or later`;
  const known: Finding = { verdict: 'ok', text: `${text}; ${programs.length} running` };
  if (migrated >= version) return [known];
  const todo =
    older.length > 0
      ? `Replace these first: ${older.join(', ')}`
      : 'Run a worker of this release: it migrates the data';
  return [known, { verdict: 'warning', text: `The data is migrated up to schema version ${migrated} only`, todo }];
}

/** A shard is on one master. */
export function shardFindings(masters: readonly Pick<MasterInspection, 'shards'>[]): Finding[] {
  if (masters.length < 2) return [];
  const counts = masters.map(({ shards }) => shards);
  const all = counts.reduce((sum, count) => sum + count, 0);
  const text = `${all} shards on ${masters.length} masters: ${counts.join(', ')}`;
  const idle = counts.filter((count) => count === 0).length;
  if (idle === 0) return [{ verdict: 'ok', text }];
  const todo =
    all < masters.length
      ? 'SHARDS never changes: a new deployment with more of them can take over (docs/deployments.md).'
      : 'Move slots that have shards to them: redis-cli --cluster reshard.';
  return [{ verdict: 'warning', text: `${text}; ${idle} of them ${idle === 1 ? 'has' : 'have'} no tasks`, todo }];
}

const mebibyte = 2 ** 20;

function redisFindings(redis: MasterInspection): Finding[] {
  const { address, server, maxmemoryPolicy, listpackValue, usedBytes, maxBytes } = redis;
  const { streamNodeBytes, clockAheadMs, latencyMs } = redis;
  const used = `${Math.ceil(usedBytes / mebibyte)} MiB used${maxBytes > 0 ? ` of ${Math.ceil(maxBytes / mebibyte)}` : ''}`;
  const evicts = maxmemoryPolicy !== undefined && maxmemoryPolicy !== 'noeviction';
  const all: (Finding | false)[] = [
    { verdict: 'ok', text: `${server} at ${address}, ${used}, ${latencyMs} ms away` },
    Number.parseInt(server.split(' ')[1] ?? '', 10) < oldestRedis && {
      verdict: 'problem',
      text: `${server} is too old: it has no sharded channels`,
      todo: 'Use Redis 7.0 or Valkey 7.2, or later.',
    },
    evicts && {
      verdict: 'problem',
      text: `Redis may evict tasks: its maxmemory-policy is ${maxmemoryPolicy}`,
      todo: 'CONFIG SET maxmemory-policy noeviction, and set it in redis.conf.',
    },
    ...persistenceFindings(redis),
    listpackValue !== undefined &&
      listpackValue < 1_024 && {
        verdict: 'warning',
        text: `Tasks use more memory than necessary: hash-max-listpack-value is ${listpackValue}`,
        todo: 'CONFIG SET hash-max-listpack-value 1024, and set it in redis.conf.',
      },
    streamNodeBytes !== undefined &&
      streamNodeBytes > 1_024 && {
        verdict: 'warning',
        text: `Each task uses ${streamNodeBytes - 1_024} bytes more than necessary: stream-node-max-bytes is ${streamNodeBytes}`,
        todo: 'CONFIG SET stream-node-max-bytes 1024, and set it in redis.conf.',
      },
    maxBytes > 0 &&
      usedBytes > 0.8 * maxBytes && {
        verdict: 'warning',
        text: `Redis is nearly full: ${used}`,
        todo: 'Raise maxmemory, or lower RETENTION_MS: when it is full, messages are refused.',
      },
    maxBytes === 0 && {
      verdict: 'warning',
      text: 'Redis has no maxmemory: when the machine is full, its kernel ends a process',
      todo: 'CONFIG SET maxmemory to half of its memory, and set it in redis.conf.',
    },
    Math.abs(clockAheadMs) > 1_000 && {
      verdict: 'warning',
      text: `The clock of Redis is ${clockAheadMs} ms ahead of this machine's`,
      todo: 'Synchronise the clocks (NTP): delays and expiry are off by as much.',
    },
    latencyMs > 5 && {
      verdict: 'warning',
      text: `Redis is ${latencyMs} ms away: every write of a task takes that long`,
      todo: 'Run gateways and workers closer to it.',
    },
  ];
  return all.filter((each) => each !== false);
}

function persistenceFindings({ isAppendOnly, unwritten }: MasterInspection): (Finding | false)[] {
  return [
    unwritten !== undefined && {
      verdict: 'problem',
      text: `Redis could not write its ${unwritten}, and refuses messages until it can: its disk may be full`,
      todo: 'Make room in the folder of Redis (CONFIG GET dir), or correct who may write there; its log says more.',
    },
    !isAppendOnly && {
      verdict: 'warning',
      text: 'Redis has no append-only file: a crash loses everything since its last snapshot',
      todo: 'CONFIG SET appendonly yes, and set it in redis.conf.',
    },
  ];
}
