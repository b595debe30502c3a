import { clientFaults } from '../inject/client-faults.ts';
import type { Fault } from '../inject/fault.ts';
import { processFaults } from '../inject/process-faults.ts';
import { longOutage, lossyFailOver, networkFaults, redisFaults } from '../inject/redis-faults.ts';
import type { RedisDeployment } from '../redis/deployment.ts';
import { startPair, startSingle } from '../redis/single.ts';
import { CONFIDENTIAL } from '../workload/scenario.ts';

/** What a run of faults is made of: which Redis, how many workers, which faults. */
export interface Phase {
  readonly name: string;
  readonly workers: number;
  readonly faults: readonly Fault[];
  readonly secrets: readonly string[];
  readonly mayLoseEvents: boolean;
  readonly startRedis: () => Promise<RedisDeployment>;
}

const password = `secret-of-redis-${process.pid}`;
const secrets = [password, CONFIDENTIAL];
const startDurable = (): Promise<RedisDeployment> =>
  startSingle({ settings: { appendfsync: 'always' }, password, isProxied: true });

export const everything: Phase = {
  name: 'every fault, three workers',
  workers: 3,
  faults: [...processFaults, ...redisFaults, ...networkFaults, ...clientFaults],
  secrets,
  mayLoseEvents: false,
  startRedis: startDurable,
};

/** It takes its own jobs again after each. */
export const loneWorker: Phase = {
  name: 'outages, one worker',
  workers: 1,
  faults: [longOutage],
  secrets,
  mayLoseEvents: false,
  startRedis: startDurable,
};

/** Accepts wait for the replica (WAIT_REPLICAS=1); begins, events and ends of turns are lost. */
export const lossyFailOvers: Phase = {
  name: 'fail-overs that lose begins and events',
  workers: 3,
  faults: [lossyFailOver],
  secrets: [CONFIDENTIAL],
  mayLoseEvents: true,
  startRedis: startPair,
};
