import { expect, test } from 'vitest';
import { Isolation } from '../src/queue/isolation.ts';
import { Slots } from '../src/queue/slots.ts';

/** A process of two queues, with ten slots each. */
function startProcess() {
  const isolation = new Isolation();
  const [own, others] = [new Slots(10), new Slots(10)];
  isolation.join(own);
  isolation.join(others);
  /** Runs a suspect of the first queue: `begun` when it is alone, until `end`. */
  const suspect = () => {
    expect(isolation.claim()).toBe(true);
    own.hold();
    const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const run = async () => {
      begun.resolve();
      await end.promise;
    };
    const ended = isolation.run(run).finally(() => own.free());
    return { begun: begun.promise, end: () => (end.resolve(), ended) };
  };
  return { own, others, suspect };
}

/** A turn that waits for another one until `goOn`. */
async function waitingTurn(slots: Slots) {
  await slots.acquire(1);
  const { promise, resolve } = Promise.withResolvers<void>();
  const state = { isGoingOn: false };
  const goneOn = slots.yieldSlot(() => promise).then(() => (state.isGoingOn = true));
  return { state, goneOn, goOn: resolve };
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 5));

test('beside a suspect no turn begins or goes on, also none that others wait for', async () => {
  const { own, others, suspect } = startProcess();
  const waiting = [await waitingTurn(own), await waitingTurn(others)];
  const { begun, end } = suspect();
  await begun;
  expect([own.isFree, others.isFree]).toEqual([false, false]);
  for (const { goOn } of waiting) goOn();
  await settled();
  expect(waiting.map(({ state }) => state.isGoingOn)).toEqual([false, false]);
  await end();
  // Both have their slots again, and may run at once.
  await Promise.all(waiting.map(({ goneOn }) => goneOn));
  expect([own.isFree, others.isFree]).toEqual([true, true]);
});

test('while a suspect waits for a turn, one awaited turn at a time runs, of any queue, and the suspect goes on after it', async () => {
  const { own, others, suspect } = startProcess();
  const { begun, end } = suspect();
  await begun;
  const answer = Promise.withResolvers<void>();
  let isAnswered = false;
  const answered = own.yieldSlot(() => answer.promise).then(() => (isAnswered = true));
  const grants = [own.acquire(10), others.acquire(10)];
  const first = await Promise.race(grants);
  expect(first).toEqual({ count: 1, kinds: 'all-awaited' });
  answer.resolve();
  await settled();
  expect([own.isFree, others.isFree, isAnswered]).toEqual([false, false, false]);
  const [ofOwn] = await Promise.all([Promise.race([grants[0], settled()])]);
  (ofOwn ? own : others).free();
  await answered;
  await end();
});

test('a suspect begins when the other turns have ended, or wait', async () => {
  const { own, others, suspect } = startProcess();
  await others.acquire(1);
  const { begun, end } = suspect();
  let hasBegun = false;
  void begun.then(() => (hasBegun = true));
  await settled();
  expect(hasBegun).toBe(false);
  others.free();
  await begun;
  await end();
  expect(own.isFree).toBe(true);
});
