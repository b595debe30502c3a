import { expect, test } from 'vitest';
import { JobGroup, type NextJob, type Take } from '../src/queue/job-group.ts';
import { Places } from '../src/queue/places.ts';

/** A queue of numbered jobs that answers when it is told to, in the order in which it was asked. */
class Queue {
  readonly #asked: { readonly token: string; readonly answer: PromiseWithResolvers<Take> }[] = [];
  #next = 1;
  waiting: number;

  constructor(waiting: number) {
    this.waiting = waiting;
  }

  readonly take = (token: string): Promise<Take> => {
    const answer = Promise.withResolvers<Take>();
    this.#asked.push({ token, answer });
    return answer.promise;
  };

  /** @returns how many were asked for since the last time: all are answered together */
  async answer(): Promise<number> {
    const asked = this.#asked.splice(0);
    for (const { token, answer } of asked) answer.resolve(this.#take(token));
    await settled();
    return asked.length;
  }

  async fail(): Promise<void> {
    for (const { answer } of this.#asked.splice(0)) answer.reject(new Error('no Redis'));
    await settled();
  }

  #take(token: string): Take {
    if (this.waiting === 0) return { job: [null, '', 0, 0], others: 0 };
    this.waiting--;
    const id = String(this.#next++);
    return { job: [{ token } as NonNullable<NextJob[0]>, id, 0, 0], others: this.waiting, isLast: this.waiting === 0 };
  }
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function group(queue: Queue, { places = new Places(4), takesAhead = true } = {}): JobGroup {
  return new JobGroup(queue.take, places, { takesAhead });
}

/** Of a worker that looks for jobs. */
const LOOKING = 'a token of BullMQ';
const NONE = [null, '', 0, 0];
const idOf = async (next: Promise<NextJob>): Promise<string> => (await next)[1];

/** Takes one job. @returns its token, with which the next one is asked for in its place */
async function taken(jobs: JobGroup, queue: Queue): Promise<string> {
  const next = jobs.next(LOOKING);
  await queue.answer();
  return (await next)[0]?.token ?? '';
}

/** Redis is asked, and has nothing. */
async function expectNoneOnAsking(jobs: JobGroup, queue: Queue): Promise<void> {
  const next = jobs.next(LOOKING);
  expect(await queue.answer()).toBe(1);
  expect(await next).toEqual(NONE);
}

test('one is taken to know how many wait, then as many of them as there are places, before they are asked for', async () => {
  const queue = new Queue(8);
  const jobs = group(queue);
  const first = jobs.next(LOOKING);
  expect(await queue.answer()).toBe(1);
  expect(await idOf(first)).toBe('1');
  expect(await queue.answer()).toBe(3);
  expect(await Promise.all([2, 3, 4].map(() => idOf(jobs.next(LOOKING))))).toEqual(['2', '3', '4']);
  expect(await queue.answer()).toBe(0);
});

test('each is taken with a token of its own, and has its place until that leaves', async () => {
  const queue = new Queue(3);
  const places = new Places(2);
  const jobs = group(queue, { places });
  const one = await taken(jobs, queue);
  await queue.answer();
  const [two] = await jobs.next(LOOKING);
  expect(two?.token).not.toBe(one);
  expect(places.free).toBe(0);
  places.leave(one);
  const third = jobs.next(LOOKING);
  expect(await queue.answer()).toBe(1);
  expect(await idOf(third)).toBe('3');
});

test('in the places of those that ended together one is asked for, and then what is there', async () => {
  const queue = new Queue(1);
  const jobs = group(queue);
  const token = await taken(jobs, queue);
  const none = [1, 2, 3].map(() => jobs.next(token));
  expect(await queue.answer()).toBe(1);
  expect(await Promise.all(none)).toEqual([NONE, NONE, NONE]);
  queue.waiting = 2;
  const some = [1, 2, 3].map(() => jobs.next(token));
  expect([await queue.answer(), await queue.answer(), await queue.answer()]).toEqual([1, 1, 1]);
  expect(await Promise.all(some.map(idOf))).toEqual(['2', '3', '']);
});

test('on a backlog nobody waits to know more', async () => {
  const queue = new Queue(100);
  const jobs = group(queue, { takesAhead: false });
  const token = await taken(jobs, queue);
  const next = [1, 2, 3].map(() => jobs.next(token));
  expect(await queue.answer()).toBe(3);
  expect(await Promise.all(next.map(idOf))).toEqual(['2', '3', '4']);
});

test('nothing is taken ahead in the place of a job that has ended, nor for who is choosy', async () => {
  const queue = new Queue(1);
  const jobs = group(queue);
  const token = await taken(jobs, queue);
  expect(await jobs.next(LOOKING)).toEqual(NONE);
  queue.waiting = 8;
  const after = jobs.next(token);
  expect([await queue.answer(), await idOf(after), await queue.answer()]).toEqual([1, '2', 0]);
  const choosy = group(queue, { takesAhead: false });
  const next = choosy.next(LOOKING);
  expect([await queue.answer(), await idOf(next), await queue.answer()]).toEqual([1, '3', 0]);
});

test('behind the last job nothing is asked, once', async () => {
  const queue = new Queue(1);
  const jobs = group(queue);
  await taken(jobs, queue);
  expect(await jobs.next(LOOKING)).toEqual(NONE);
  expect(await queue.answer()).toBe(0);
  await expectNoneOnAsking(jobs, queue);
});

test('who has waited for news is not told from memory that there is nothing', async () => {
  const queue = new Queue(1);
  const jobs = group(queue);
  await taken(jobs, queue);
  await jobs.wait(async () => ({ member: '0', score: 0 }));
  await expectNoneOnAsking(jobs, queue);
});

test('nobody waits for news while jobs are there that were taken ahead, or are on their way', async () => {
  const queue = new Queue(2);
  const jobs = group(queue);
  await taken(jobs, queue);
  let waits = 0;
  const wait = (): Promise<unknown> =>
    jobs.wait(async () => {
      waits++;
      return null;
    });
  expect([await wait(), await queue.answer(), await wait()]).toEqual([
    { member: '0', score: 0 },
    1,
    { member: '0', score: 0 },
  ]);
  expect(await idOf(jobs.next(LOOKING))).toBe('2');
  expect([await wait(), waits]).toEqual([null, 1]);
});

test('what a marker has told of a delayed job is not forgotten over an older answer', async () => {
  const queue = new Queue(0);
  const jobs = group(queue);
  const dueAt = Date.now() + 60_000;
  for (const score of [dueAt, 0]) await jobs.wait(async () => ({ member: '0', score }));
  const next = jobs.next(LOOKING);
  await queue.answer();
  expect(await next).toEqual([null, '', 0, dueAt]);
});

test('who stops looking gets what was taken, also what is on its way, and no more', async () => {
  const queue = new Queue(20);
  const places = new Places(4);
  const jobs = group(queue, { places });
  await taken(jobs, queue);
  places.close();
  const stopped = jobs.rest();
  expect(await queue.answer()).toBe(3);
  const rest = await stopped;
  expect(rest.map(([, id]) => id)).toEqual(['2', '3', '4']);
  for (const [job] of rest) places.leave(job?.token ?? '');
  expect(await queue.answer()).toBe(0);
  expect(await jobs.rest()).toEqual([]);
  // BullMQ's worker asks once more, for a marker that it was waiting for when it was told to pause.
  const last = jobs.next(LOOKING);
  expect([await queue.answer(), await idOf(last), await queue.answer()]).toEqual([1, '5', 0]);
  places.open();
  const next = jobs.next(LOOKING);
  expect([await queue.answer(), await idOf(next), await queue.answer()]).toEqual([2, '6', 0]);
});

test('who waits is told that it failed; the next one asks anew, and no place is lost', async () => {
  const queue = new Queue(2);
  const places = new Places(2);
  const jobs = group(queue, { places });
  const failing = expect(jobs.next(LOOKING)).rejects.toThrow('no Redis');
  await queue.fail();
  await failing;
  expect(places.free).toBe(2);
  const again = jobs.next(LOOKING);
  await queue.answer();
  expect(await idOf(again)).toBe('1');
});
