import fc from 'fast-check';
import { describe, test } from 'vitest';
import { isThorough } from '../../../tests/support/thorough.ts';
import { ScriptDriver } from './reference/script-driver.ts';
import type * as rules from './reference/turn-rules.ts';
import { lastFence } from './reference/turn-rules.ts';
import { testRedis } from './support/redis.ts';

const redis = testRedis();

const lease = fc.constantFrom<rules.Due>('due', 'later');
/** Whether a task is scheduled, and whether it is due. */
const waits = fc.constantFrom<rules.Due | undefined>(undefined, undefined, 'due', 'due', 'later');
/** The distance from the current value: mostly 0, so that most commands are valid. */
const near = fc.constantFrom(0, 0, 0, 0, 0, -1, 1);
const run = fc.constantFrom('r1', 'r2');
const letter = fc.constantFrom<rules.Letter>('w', 'w', 'a', 'i', 'C', 'C', 'F', 'R', 'X');

/** Fixes the arguments of a command, and returns a function that sends it: also twice, unchanged. */
type Step = (driver: ScriptDriver) => () => Promise<void>;

/** The fence of the turn that began last, or one with another epoch. */
const fenceOf = ({ record }: ScriptDriver, off: number, run: string): string =>
  off === 0 && record ? lastFence(record) : `${(record?.epoch ?? 1) + off}.${run}`;

const timeToLive = fc.constantFrom<rules.Due | undefined>(undefined, undefined, 'due', 'later', 'later');
const accepting = fc.tuple(fc.integer({ min: 1, max: 6 }), fc.constantFrom('f', 'f', 'f', 'g'), lease, timeToLive).map(
  ([n, fingerprint, due, ttl]): Step =>
    (driver) =>
    () =>
      driver.accept({ messageId: `m${n}`, fingerprint, lease: due, ttl }),
);
/** The task may also be listed by mistake. */
const rejecting = fc.boolean().map(
  (isListed): Step =>
    (driver) =>
    () =>
      driver.reject(isListed),
);
const endingTimeToLive = fc.constant<Step>((driver) => () => driver.endTimeToLive());

/** Also for tasks that are not scheduled, or have begun. */
const beginningLater = lease.map(
  (due): Step =>
    (driver) =>
    () =>
      driver.beginScheduled(due),
);

const whileWorking = fc.constantFrom<rules.WhileWorking>('', 's', 's', 'r');
const starting = fc.constantFrom(1, 1, 1, 0, 2);
const beginning = fc.tuple(near, starting, fc.constantFrom('t1', 't2', 't3'), run, lease, whileWorking).map(
  ([off, later, token, run, due, whileWorking]): Step =>
    (driver) => {
      const job = Math.max(1, (driver.record?.job ?? 0) + off);
      const started = (driver.record?.started ?? 0) + later;
      return () => driver.begin({ job, started, token, run, lease: due, whileWorking });
    },
);

/** The steering messages that a turn has delivered: mostly waiting ones, sometimes one that a fail-over lost. */
const taking = fc
  .tuple(fc.constantFrom(0, 0, 1, 1, 2, 3), fc.constantFrom(false, false, false, true))
  .map(([count, isLost]) => ({ record }: ScriptDriver): readonly string[] => {
    const delivered = record?.inbox.slice(1, 1 + count) ?? [];
    return isLost ? [...delivered, 'lost'] : delivered;
  });

const statuses = fc.array(fc.tuple(letter, fc.boolean()), { minLength: 1, maxLength: 3 });
const appending = fc.tuple(near, run, near, statuses, fc.boolean(), lease, taking).map(
  ([off, run, numberOff, states, endsJobAfterTurn, due, take]): Step =>
    (driver) => {
      const number = Math.max(1, (driver.record?.turnSeq ?? 0) + 1 + numberOff);
      const fence = fenceOf(driver, off, run);
      const delivered = take(driver);
      const events = states.map(([state, flag], i): rules.Append => {
        const settles = state === 'i' || (flag && state !== 'w' && state !== 'a');
        return { fence, number: number + i, state, settles, endsJobAfterTurn, lease: due, delivered };
      });
      return () => driver.append(events);
    },
);

const growing = fc.tuple(near, run, near, fc.integer({ min: 1, max: 12 })).map(
  ([off, run, numberOff, count]): Step =>
    (driver) => {
      const number = Math.max(1, (driver.record?.turnSeq ?? 0) + 1 + numberOff);
      const fence = fenceOf(driver, off, run);
      return () => driver.grow(fence, number, count);
    },
);

const steering = fc.tuple(near, run, fc.constantFrom(0, 0, 1, 3)).map(
  ([off, run, after]): Step =>
    (driver) => {
      const fence = fenceOf(driver, off, run);
      return () => driver.steered(fence, after);
    },
);

/** The events that a run has published: the record mostly has them, sometimes a fail-over lost one. */
const publishing = near.map(
  (off) =>
    ({ record }: ScriptDriver): number =>
      Math.max(0, (record?.turnSeq ?? 0) + off),
);

const ending = fc.tuple(near, run, fc.boolean(), lease, taking, publishing).map(
  ([off, run, endsJobAfterTurn, due, take, publish]): Step =>
    (driver) => {
      const fence = fenceOf(driver, off, run);
      const delivered = take(driver);
      const published = publish(driver);
      return () => driver.end(fence, { endsJobAfterTurn, lease: due, delivered, published });
    },
);

const releasing = fc.tuple(near, run, fc.boolean(), lease).map(
  ([off, run, spent, due]): Step =>
    (driver) => {
      const fence = fenceOf(driver, off, run);
      return () => driver.release(fence, spent, due);
    },
);

const suspending = fc.tuple(near, run, lease, publishing).map(
  ([off, run, due, publish]): Step =>
    (driver) => {
      const fence = fenceOf(driver, off, run);
      const published = publish(driver);
      return () => driver.suspend(fence, published, due);
    },
);
const giving = lease.map(
  (due): Step =>
    (driver) =>
    () =>
      driver.giveEvent(due),
);
const resuming = lease.map(
  (due): Step =>
    (driver) =>
    () =>
      driver.resume(due),
);

const givingUp = fc.tuple(near, run, publishing).map(
  ([off, run, publish]): Step =>
    (driver) => {
      const fence = fenceOf(driver, off, run);
      const published = publish(driver);
      return () => driver.giveUp(fence, published);
    },
);

const canceling = fc.constant<Step>((driver) => () => driver.cancel());
const sweeping = lease.map(
  (due): Step =>
    (driver) =>
    () =>
      driver.sweep(due),
);

const step = fc.oneof(
  { weight: 3, arbitrary: accepting },
  { weight: 4, arbitrary: beginning },
  { weight: 4, arbitrary: appending },
  { weight: 2, arbitrary: growing },
  { weight: 2, arbitrary: beginningLater },
  { weight: 2, arbitrary: suspending },
  ...[rejecting, endingTimeToLive, giving, resuming, ending, steering, releasing, givingUp, canceling, sweeping].map(
    (arbitrary) => ({
      weight: 1,
      arbitrary,
    }),
  ),
);

describe('the scripts of a turn', () => {
  test('reply and write according to the rules, for random commands of which any can be sent twice', async () => {
    await fc.assert(
      fc.asyncProperty(
        waits,
        timeToLive,
        fc.array(fc.tuple(step, fc.boolean()), { minLength: 5, maxLength: 40 }),
        async (due, ttl, steps) => {
          const driver = new ScriptDriver(redis);
          await driver.accept({ messageId: 'm0', fingerprint: 'f', lease: 'later', waits: due, ttl });
          for (const [prepare, isSentTwice] of steps) {
            const send = prepare(driver);
            await send();
            if (isSentTwice) await send();
          }
          await driver.expectNeighbourUntouched();
        },
      ),
      { numRuns: Number(process.env.WALKS ?? (isThorough ? 300 : 75)) },
    );
  }, 1_200_000);
});
