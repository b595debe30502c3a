import { setTimeout as delay } from 'node:timers/promises';
import { userMessage } from '../../../tests/support/messages.ts';
import { ResilientClient } from '../workload/resilient-client.ts';
import type { Fault, Target } from './fault.ts';

/** Longer than the 3.5 s after which a silent worker is taken for dead. */
const BEYOND_THE_LOCK_MS = 4_500;
const CLOCK_STEP_FOR_MS = 5_000;

export const crashAgentAt = (url: string): string => `${url}/agents/crash-agent`;

export const processFaults: readonly Fault[] = [
  {
    name: 'worker killed',
    spendsAttempts: true,
    async inject(target) {
      await target.end(target.worker, 'SIGKILL');
      await target.stack.addWorker();
    },
  },
  {
    name: 'worker stopped',
    async inject(target) {
      await target.end(target.worker, 'SIGTERM');
      await target.stack.addWorker();
    },
  },
  {
    name: 'worker frozen beyond its lock',
    spendsAttempts: true,
    inject: (target) => target.freeze(target.worker, BEYOND_THE_LOCK_MS),
  },
  {
    name: 'worker frozen for 8 to 20 s',
    spendsAttempts: true,
    inject: (target) => target.freeze(target.worker, target.random.between(8_000, 20_000)),
  },
  {
    name: 'event loop of a worker blocked beyond its lock',
    spendsAttempts: true,
    async inject({ stack, random }) {
      const client = new ResilientClient({ urls: [crashAgentAt(random.pick(stack.urls))] }, 0);
      await client.send(userMessage(`blockOnce ${BEYOND_THE_LOCK_MS}`), true);
      await delay(BEYOND_THE_LOCK_MS);
    },
  },
  {
    name: 'gateway killed',
    async inject(target) {
      const victim = target.random.pick(target.stack.gateways);
      await target.end(victim, 'SIGKILL');
      await restartGateway(target, victim.url);
    },
  },
  {
    name: 'gateway stopped',
    async inject(target) {
      const victim = target.random.pick(target.stack.gateways);
      await target.end(victim, 'SIGTERM');
      await restartGateway(target, victim.url);
    },
  },
  {
    name: 'gateway frozen',
    inject: (target) => target.freeze(target.random.pick(target.stack.gateways), target.random.between(1_000, 5_000)),
  },
  { name: 'clock of a worker steps', inject: (target) => stepClock(target, target.worker) },
  {
    name: 'clock of a gateway steps',
    inject: (target) => stepClock(target, target.random.pick(target.stack.gateways)),
  },
];

/** In its place: clients know their gateways by their addresses. */
const restartGateway = ({ stack }: Target, url: string): Promise<unknown> =>
  stack.addGateway(Number(new URL(url).port));

/** See `shifted-clock.ts`. */
async function stepClock({ random }: Target, victim: { kill(signal: NodeJS.Signals): void }): Promise<void> {
  victim.kill('SIGUSR2');
  await delay(CLOCK_STEP_FOR_MS + random.between(0, 1_000));
  victim.kill('SIGUSR2');
}
