import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { startFleet } from '../../../tests/support/fleet.ts';
import { startRedis } from '../../../tests/support/redis.ts';
import { atMost, type Row } from '../measure.ts';
import { shareOfCore } from '../share-of-core.ts';

const [WORKERS, REAL_WORKERS, AGENTS, SHARDS] = [100, 4, 50, 16];
/** As long as the longest interval of what an idle worker does. */
const MEASURED_MS = 10_000;

/** Idle workers, on a Redis of their own: what a few of them cost, computed for many. */
export const idleFleetRow: Row = {
  id: 'idle-fleet',
  title: `Redis beside ${WORKERS} idle workers with ${AGENTS} agents each and ${SHARDS} shards, computed from ${REAL_WORKERS}`,
  unit: '% of a core',
  bars: [atMost(10)],
  hasNoWorker: true,
  warmUps: 0,
  mostRounds: 3,
  async open() {
    const server = await startRedis();
    const redis = new Redis(server.url);
    const alone = await shareOfCore(redis, MEASURED_MS);
    const fleet = await startFleet({ redisUrl: server.url, agents: AGENTS, shards: SHARDS, workers: REAL_WORKERS });
    await delay(10_000); // without the work at the start
    const measure = async (): Promise<number> =>
      (WORKERS / REAL_WORKERS) * ((await shareOfCore(redis, MEASURED_MS)) - alone);
    return {
      ours: { name: 'Switchyard', measure },
      notes: { 'Redis alone': alone },
      async close() {
        await fleet.stop();
        redis.disconnect();
        await server.stop();
      },
    };
  },
};
