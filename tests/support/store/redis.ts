import { AuditTrail, Credentials } from '@switchyard/access';
import { Conversations } from '@switchyard/conversations';
import { Ops } from '@switchyard/operators';
import { Pace } from '@switchyard/pace';
import { Deliveries, Webhooks } from '@switchyard/push';
import { ScheduledTasks, ScheduleList } from '@switchyard/schedules';
import { Store, type StoreSettings } from '@switchyard/store';
import { AgentIndexes, InterruptedTasks, Room } from '@switchyard/upkeep';
import { Redis } from 'ioredis';
import { afterAll, inject } from 'vitest';
import { uniquePrefix } from '../prefix.ts';
import { openLedger, type RedisLedger } from '../redis-ledger.ts';

/** A connection to the shared Redis of the test run, or to the given one; closed after the tests of the file. */
export function testRedis(url = inject('redisUrl')): Redis {
  const redis = new Redis(url);
  afterAll(() => redis.disconnect());
  return redis;
}

/** A proxy to the shared Redis, or to the given one, that records the commands; closed after the tests of the file. */
export async function testLedger(url = inject('redisUrl')): Promise<RedisLedger> {
  const ledger = await openLedger(url);
  afterAll(() => ledger[Symbol.asyncDispose]());
  return ledger;
}

/** A store, with what stands on it. */
export type TestStore = Store & ReturnType<typeof onStore>;

export function onStore({ inside }: Store) {
  return {
    ops: new Ops({ inside }),
    conversations: new Conversations(inside),
    scheduledTasks: new ScheduledTasks(inside),
    scheduleList: new ScheduleList(inside),
    webhooks: new Webhooks(inside),
    deliveries: new Deliveries(inside),
    credentials: new Credentials(inside),
    audit: new AuditTrail(inside),
    pace: new Pace(inside),
    interrupted: new InterruptedTasks(inside),
    room: new Room(inside),
    agentIndexes: new AgentIndexes(inside),
  };
}

/** A store with its own key prefix, stopped after the tests of the file. By default connection errors are ignored. */
export async function testStore(
  settings: Partial<StoreSettings> = {},
  onError: (error: Error) => void = () => undefined,
): Promise<TestStore> {
  const store = new Store({ redisUrl: inject('redisUrl'), prefix: uniquePrefix(), ...settings }, onError);
  afterAll(() => store.stop());
  await store.start();
  return Object.assign(store, onStore(store));
}

export const alice = { principal: { tenant: 'acme', subject: 'alice', scopes: [] }, agent: 'echo' };
export const bob = { principal: { tenant: 'acme', subject: 'bob', scopes: [] }, agent: 'echo' };
