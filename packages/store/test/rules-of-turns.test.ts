import fc from 'fast-check';
import { describe, test } from 'vitest';
import type * as rules from './oracle/turn-rules.ts';
import { Twin } from './oracle/twin.ts';
import { testRedis } from './support/redis.ts';

const redis = testRedis();

const lease = fc.constantFrom<rules.Due>('due', 'later');
/** Distance from the present value: mostly none, so that walks get somewhere. */
const near = fc.constantFrom(0, 0, 0, 0, 0, -1, 1);
const letter = fc.constantFrom<rules.Letter>('w', 'w', 'a', 'i', 'C', 'C', 'F', 'R', 'X');

/** A command with the arguments of this moment, so that it can be sent again unchanged. */
type Step = (twin: Twin) => () => Promise<void>;

const epochOf = (twin: Twin, off: number): number => Math.max(1, (twin.record?.turn || twin.record?.epoch || 1) + off);

const accepting = fc.tuple(fc.integer({ min: 1, max: 6 }), fc.constantFrom('f', 'f', 'f', 'g'), lease).map(
  ([n, print, due]): Step =>
    (twin) =>
    () =>
      twin.accept(`m${n}`, print, due),
);

const beginning = fc.tuple(near, fc.constantFrom(1, 1, 1, 0, 2), fc.constantFrom('t1', 't2', 't3'), lease).map(
  ([off, later, token, due]): Step =>
    (twin) => {
      const job = Math.max(1, (twin.record?.scheduled ?? 0) + off);
      const started = (twin.record?.started ?? 0) + later;
      return () => twin.begin(job, started, token, due);
    },
);

const said = fc.array(fc.tuple(letter, fc.boolean()), { minLength: 1, maxLength: 3 });
const appending = fc.tuple(near, near, said, fc.boolean(), lease).map(
  ([off, numberOff, states, handsOver, due]): Step =>
    (twin) => {
      const number = Math.max(1, (twin.record?.said ?? 0) + 1 + numberOff);
      const epoch = epochOf(twin, off);
      const events = states.map(([state, flag], i): rules.Append => {
        const settles = state === 'i' || (flag && state !== 'w' && state !== 'a');
        return { epoch, number: number + i, state, settles, handsOver, lease: due };
      });
      return () => twin.append(events);
    },
);

const growing = fc.tuple(near, near, fc.integer({ min: 1, max: 12 })).map(
  ([off, numberOff, count]): Step =>
    (twin) => {
      const number = Math.max(1, (twin.record?.said ?? 0) + 1 + numberOff);
      const epoch = epochOf(twin, off);
      return () => twin.grow(epoch, number, count);
    },
);

const ending = fc.tuple(near, fc.boolean(), lease).map(
  ([off, over, due]): Step =>
    (twin) => {
      const epoch = epochOf(twin, off);
      return () => twin.end(epoch, over, due);
    },
);

const releasing = fc.tuple(near, fc.boolean(), lease).map(
  ([off, spent, due]): Step =>
    (twin) => {
      const epoch = epochOf(twin, off);
      return () => twin.release(epoch, spent, due);
    },
);

const renewing = fc.tuple(near, lease).map(
  ([off, due]): Step =>
    (twin) => {
      const epoch = epochOf(twin, off);
      return () => twin.renew(epoch, due);
    },
);

const canceling = fc.constant<Step>((twin) => () => twin.cancel());
const sweeping = lease.map(
  (due): Step =>
    (twin) =>
    () =>
      twin.sweep(due),
);

const step = fc.oneof(
  { weight: 3, arbitrary: accepting },
  { weight: 4, arbitrary: beginning },
  { weight: 4, arbitrary: appending },
  { weight: 2, arbitrary: growing },
  ...[ending, releasing, renewing, canceling, sweeping].map((arbitrary) => ({ weight: 1, arbitrary })),
);

describe('the scripts of a turn', () => {
  test('answer, record and write what the rules say, on random walks in which every command may be sent twice', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(step, fc.boolean()), { minLength: 5, maxLength: 40 }), async (walk) => {
        const twin = new Twin(redis);
        await twin.accept('m0', 'f', 'later');
        for (const [take, isSentTwice] of walk) {
          const send = take(twin);
          await send();
          if (isSentTwice) await send();
        }
        await twin.expectNeighbourUntouched();
      }),
      { numRuns: Number(process.env.WALKS ?? 300) },
    );
  }, 120_000);
});
