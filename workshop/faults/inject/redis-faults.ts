import { setTimeout as delay } from 'node:timers/promises';
import type { Fault } from './fault.ts';

/** Beyond the lock of a job (3.5 s). */
const LONG_OUTAGE_MS = 5_000;
const REFUSED_FOR_MS = 2_000;

export const longOutage: Fault = {
  name: 'Redis away for 5 s',
  async inject(target) {
    target.proxy.stall();
    await delay(LONG_OUTAGE_MS);
    target.proxy.release();
  },
};

export const lossyFailOver: Fault = {
  name: 'fail-over to a replica that lacks the last writes',
  inject: ({ redis, random }) => redis.failOver?.(random.between(20, 600)) ?? Promise.reject(new Error('no replica')),
};

export const redisFaults: readonly Fault[] = [
  {
    name: 'Redis killed',
    async inject(target) {
      const victim = await target.master();
      await victim.kill();
      await delay(target.random.between(0, 1_500));
      await victim.start();
      await target.redis.settled();
    },
  },
  {
    name: 'Redis frozen',
    async inject(target) {
      const victim = await target.master();
      victim.freeze();
      await delay(target.random.between(300, 3_000));
      victim.thaw();
    },
  },
  longOutage,
  {
    name: 'disk of Redis full',
    async inject(target) {
      const node = await target.master();
      // With `always` it would end itself: an acknowledgement is a promise.
      await node.ask('CONFIG SET appendfsync everysec');
      await node.fillDisk(true);
      await delay(REFUSED_FOR_MS);
      await node.fillDisk(false);
      await delay(1_500); // until it has tried again
      await node.ask('CONFIG SET appendfsync always');
    },
  },
  {
    name: 'memory of Redis full',
    async inject(target) {
      const node = await target.master();
      await node.ask('CONFIG SET maxmemory 1');
      await delay(REFUSED_FOR_MS);
      await node.ask('CONFIG SET maxmemory 0');
    },
  },
  {
    name: 'credentials of Redis rotated, and back',
    async inject(target) {
      const node = await target.master();
      const before = await node.changePassword(`rotated-${target.random.between(1, 1e9)}`);
      await delay(REFUSED_FOR_MS);
      await node.changePassword(before);
    },
  },
  {
    name: 'scripts flushed and connections killed',
    async inject(target) {
      const node = await target.master();
      for (let n = 0; n < 10; n++) {
        await node.ask('SCRIPT FLUSH');
        await node.ask('CLIENT KILL TYPE normal SKIPME yes');
        await node.ask('CLIENT KILL TYPE pubsub');
        await delay(150);
      }
    },
  },
];

/** Between all processes and Redis. */
export const networkFaults: readonly Fault[] = [
  { name: 'replies of Redis lost', inject: ({ proxy, random }) => proxy.loseReplies(random.between(100, 1_000)) },
  { name: 'replies of Redis lost, at once', inject: ({ proxy }) => proxy.loseReplies(5) },
  { name: 'replies of Redis slow', inject: ({ proxy }) => proxy.disturb('slow', 3_000) },
  { name: 'replies of Redis dribble', inject: ({ proxy }) => proxy.disturb('dribble', 3_000) },
  { name: 'connections to Redis silent', inject: async ({ proxy }) => proxy.silence() },
];
