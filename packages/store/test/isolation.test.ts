import { expect, onTestFinished, test, vi } from 'vitest';
import { Isolation } from '../src/queue/isolation.ts';
import { Slots } from '../src/queue/slots.ts';

/** A process of two queues, with ten slots each. */
function startProcess() {
  const isolation = new Isolation();
  const [own, others] = [new Slots(10, isolation.load), new Slots(10, isolation.load)];
  isolation.join(own);
  isolation.join(others);
  /** Runs a suspect of the first queue: `begun` when it is alone, until `end`. */
  const suspect = () => {
    expect(isolation.claim()).toBe(true);
    own.take();
    const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const run = async () => {
      begun.resolve();
      await end.promise;
    };
    const turn = {};
    const state = { isShared: false };
    const share = async (): Promise<void> => {
      state.isShared = true;
    };
    const ended = isolation.run({ job: turn, share }, run).finally(() => own.leave(turn));
    const endIt = (): Promise<void> => {
      end.resolve();
      return ended;
    };
    return { turn, state, begun: begun.promise, end: endIt };
  };
  return { isolation, own, others, suspect };
}

/** A turn that waits for another one until `goOn`. */
async function waitingTurn(slots: Slots) {
  await slots.acquire(1);
  const { promise, resolve } = Promise.withResolvers<void>();
  const turn = {};
  const state = { isGoingOn: false };
  const goneOn = slots.yieldSlot(turn, () => promise.then(() => 'outcome')).then(() => (state.isGoingOn = true));
  return { turn, state, goneOn, goOn: resolve };
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
  const { turn, begun, end } = suspect();
  await begun;
  const answer = Promise.withResolvers<void>();
  let isAnswered = false;
  const answered = own.yieldSlot(turn, () => answer.promise.then(() => 'outcome')).then(() => (isAnswered = true));
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

const never = () => new Promise<void>(() => undefined);

test('a suspect that waits for several turns at once counts as one that waits: they run here', async () => {
  const { own, suspect } = startProcess();
  const { turn, begun } = suspect();
  await begun;
  for (let n = 0; n < 3; n++) void own.yieldSlot(turn, never);
  expect([own.active, own.yielded]).toEqual([0, 1]);
  expect(await own.acquire(10)).toEqual({ count: 1, kinds: 'all-awaited' });
});

test('a turn that waits for several others at once does not hide turns that run', async () => {
  const { own, others, suspect } = startProcess();
  await own.acquire(2);
  for (let n = 0; n < 3; n++) void own.yieldSlot(own, never);
  const { begun } = suspect();
  let hasBegun = false;
  void begun.then(() => (hasBegun = true));
  await settled();
  expect([hasBegun, others.isFree]).toEqual([false, false]);
  own.free();
  await begun;
  expect(others.isFree).toBe(false);
});

test('a turn that ends while it waits to go on does not make the suspect count as one that does not run', async () => {
  const { own, others, suspect } = startProcess();
  const [canceled, waiting] = [await waitingTurn(own), await waitingTurn(others)];
  await suspect().begun;
  for (const { goOn } of [waiting, canceled]) goOn();
  await settled();
  own.leave(canceled.turn);
  await canceled.goneOn;
  await settled();
  expect([waiting.state.isGoingOn, own.isFree, others.isFree]).toEqual([false, false, false]);
});

test('a turn beside a suspect can be suspended, and goes on after half a minute', async () => {
  const { own, suspect } = startProcess();
  const waiting = await waitingTurn(own);
  await own.acquire(1);
  const patience = Promise.withResolvers<undefined>();
  const suspended = own.yieldSlot({}, () => patience.promise);
  await suspect().begun;
  patience.resolve(undefined);
  expect(await suspended).toBe(undefined);
  onTestFinished(() => void vi.useRealTimers());
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  waiting.goOn();
  await vi.advanceTimersByTimeAsync(29_999);
  expect(waiting.state.isGoingOn).toBe(false);
  await vi.advanceTimersByTimeAsync(2);
  expect(waiting.state.isGoingOn).toBe(true);
});

test('of two turns that may go on while a suspect waits, one does', async () => {
  const { own, others, suspect } = startProcess();
  const waiting = [await waitingTurn(own), await waitingTurn(own), await waitingTurn(others)];
  const { turn, begun } = suspect();
  await begun;
  for (const { goOn } of waiting) goOn();
  await settled();
  void own.yieldSlot(turn, never);
  await settled();
  expect(waiting.filter(({ state }) => state.isGoingOn)).toHaveLength(1);
});

test('a suspect in a process with many queues does not block it', async () => {
  const isolation = new Isolation();
  const lone = { job: {}, share: async () => undefined };
  const queues = Array.from({ length: 1_000 }, () => new Slots(10, isolation.load));
  for (const slots of queues) isolation.join(slots);
  const busy = queues.slice(0, 20);
  for (const slots of busy) await slots.acquire(10);
  const before = process.cpuUsage();
  expect(isolation.claim()).toBe(true);
  queues.at(-1)?.take();
  const begun = Promise.withResolvers<void>();
  const ended = isolation.run(lone, async () => begun.resolve());
  for (const slots of queues) void slots.acquire(10);
  for (const slots of busy) {
    slots.free(10);
    await new Promise(setImmediate);
  }
  await begun.promise;
  await ended;
  // It was ten seconds.
  expect(process.cpuUsage(before).user / 1_000).toBeLessThan(1_000);
});

test('a suspect that runs alone from its beginning to its end does not say that others run beside it', async () => {
  const { others, suspect } = startProcess();
  await others.acquire(1);
  const { state, begun, end } = suspect();
  others.free();
  await begun;
  await end();
  expect(state.isShared).toBe(false);
});

test('a suspect beside which others run after half a minute says so before it runs', async () => {
  const { others, suspect } = startProcess();
  await others.acquire(1);
  onTestFinished(() => void vi.useRealTimers());
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { state, begun } = suspect();
  const isSharedAtBegin = begun.then(() => state.isShared);
  await vi.advanceTimersByTimeAsync(30_001);
  expect(await isSharedAtBegin).toBe(true);
});

test('a suspect beside which a turn goes on after half a minute says so before', async () => {
  const { own, suspect } = startProcess();
  const waiting = await waitingTurn(own);
  const { state, begun } = suspect();
  await begun;
  expect(state.isShared).toBe(false);
  onTestFinished(() => void vi.useRealTimers());
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const isSharedThen = waiting.goneOn.then(() => state.isShared);
  waiting.goOn();
  await vi.advanceTimersByTimeAsync(30_001);
  expect(await isSharedThen).toBe(true);
});

test('a suspect that waits says that others run, and a turn that others wait for does if it outlasts the suspect', async () => {
  const { isolation, own, others, suspect } = startProcess();
  const { turn, state, begun, end } = suspect();
  await begun;
  const answer = Promise.withResolvers<void>();
  const answered = own.yieldSlot(turn, () => answer.promise.then(() => 'outcome'));
  await others.acquire(1);
  const awaited = { isShared: false };
  const [hasBegun, over] = [Promise.withResolvers<boolean>(), Promise.withResolvers<void>()];
  const share = async (): Promise<void> => {
    awaited.isShared = true;
  };
  const ended = isolation.load.runAlone({ job: awaited, share }, () => {
    hasBegun.resolve(state.isShared);
    return over.promise;
  });
  expect(await hasBegun.promise).toBe(true);
  expect(awaited.isShared).toBe(false);
  // The suspect is canceled while it waits.
  own.leave(turn);
  await end();
  expect(awaited.isShared).toBe(true);
  over.resolve();
  await ended;
  answer.resolve();
  await answered;
});
