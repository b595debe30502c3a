import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { startFleet } from '../../../tests/support/fleet.ts';
import { startRedis } from '../../../tests/support/redis.ts';
import { atMost, type Row } from '../measure.ts';
import { shareOfCore } from '../share-of-core.ts';

const [WORKERS, AGENTS, SHARDS] = [100, 50, 16];
const [FEW, MORE] = [1, 6];
/** As long as the longest interval of what an idle worker does. */
const MEASURED_MS = 10_000;

/** A Redis with idle workers of its own. */
async function openFleet(workers: number) {
  const server = await startRedis();
  const redis = new Redis(server.url);
  const alone = await shareOfCore(redis, MEASURED_MS);
  const fleet = await startFleet({ redisUrl: server.url, agents: AGENTS, shards: SHARDS, workers });
  return {
    alone,
    share: async () => (await shareOfCore(redis, MEASURED_MS)) - alone,
    async close() {
      await fleet.stop();
      redis.disconnect();
      await server.stop();
    },
  };
}

/**
 * Idle workers, on a Redis of their own. One of them at a time checks a shard, however many there are, so what many
 * cost is computed from the difference between few and more.
 */
export const idleFleetRow: Row = {
  id: 'idle-fleet',
  title: `Redis beside ${WORKERS} idle workers with ${AGENTS} agents each and ${SHARDS} shards, computed from ${FEW} and ${MORE}`,
  unit: '% of a core',
  bars: [atMost(10)],
  hasNoWorker: true,
  warmUps: 0,
  mostRounds: 3,
  async open() {
    const few = await openFleet(FEW);
    const more = await openFleet(MORE);
    await delay(10_000); // without the work at the start
    const measure = async (): Promise<number> => {
      const base = await few.share();
      return base + ((WORKERS - FEW) / (MORE - FEW)) * ((await more.share()) - base);
    };
    return {
      ours: { name: 'Switchyard', measure },
      notes: { 'Redis alone': few.alone },
      close: () => Promise.all([few.close(), more.close()]),
    };
  },
};
