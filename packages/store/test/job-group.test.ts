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

  async fail(): Promise<number> {
    const asked = this.#asked.splice(0);
    for (const { answer } of asked) answer.reject(new Error('no Redis'));
    await settled();
    return asked.length;
  }

  #take(token: string): Take {
    if (this.waiting === 0) return { job: [null, '', 0, 7], others: 0 };
    this.waiting--;
    const id = String(this.#next++);
    return { job: [{ token } as NonNullable<NextJob[0]>, id, 0, 0], others: this.waiting, isLast: this.waiting === 0 };
  }
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function group(queue: Queue, places: Places, { takesAhead = true } = {}): JobGroup {
  return new JobGroup(queue.take, places, { takesAhead });
}

const idOf = async (next: Promise<NextJob>): Promise<string> => (await next)[1];

test('one is taken to know how many wait, then as many of them as there are places, before they are asked for', async () => {
  const queue = new Queue(8);
  const jobs = group(queue, new Places(5));
  const first = jobs.next();
  expect(await queue.answer()).toBe(1);
  expect(await idOf(first)).toBe('1');
  expect(await queue.answer()).toBe(4);
  const ids = await Promise.all([2, 3, 4, 5].map(() => idOf(jobs.next())));
  expect(ids).toEqual(['2', '3', '4', '5']);
  expect(await queue.answer()).toBe(0);
});

test('each is taken with a token of its own, and has its place until that leaves', async () => {
  const queue = new Queue(3);
  const places = new Places(2);
  const jobs = group(queue, places);
  const [first] = [jobs.next(), await queue.answer(), await queue.answer()];
  const [[one], [two]] = [await first, await jobs.next()];
  expect(new Set([one?.token, two?.token]).size).toBe(2);
  expect(places.free).toBe(0);
  places.leave(one?.token ?? '');
  const third = jobs.next();
  expect(await queue.answer()).toBe(1);
  expect(await idOf(third)).toBe('3');
});

test('in the places of those that ended together one is asked for, and then what is there', async () => {
  const queue = new Queue(0);
  const jobs = group(queue, new Places(4));
  const none = [1, 2, 3].map(() => jobs.nextAfter());
  expect(await queue.answer()).toBe(1);
  expect(await Promise.all(none)).toEqual([1, 2, 3].map(() => [null, '', 0, 7]));
  queue.waiting = 2;
  const some = [1, 2, 3].map(() => jobs.nextAfter());
  expect([await queue.answer(), await queue.answer(), await queue.answer()]).toEqual([1, 1, 1]);
  expect(await Promise.all(some.map(idOf))).toEqual(['1', '2', '']);
});

test('on a backlog nothing waits to know more', async () => {
  const queue = new Queue(100);
  const jobs = group(queue, new Places(4));
  const first = jobs.nextAfter();
  await queue.answer();
  await first;
  const next = [1, 2, 3].map(() => jobs.nextAfter());
  expect(await queue.answer()).toBe(3);
  expect(await Promise.all(next.map(idOf))).toEqual(['2', '3', '4']);
});

test('nothing is taken ahead for who has ended a job, nor for who is choosy', async () => {
  const queue = new Queue(8);
  const ended = group(queue, new Places(5));
  const [after] = [ended.nextAfter(), await queue.answer()];
  expect([await idOf(after), await queue.answer()]).toEqual(['1', 0]);
  const choosy = group(queue, new Places(5), { takesAhead: false });
  const [next] = [choosy.next(), await queue.answer()];
  expect([await idOf(next), await queue.answer()]).toEqual(['2', 0]);
});

test('behind the last job nothing is asked, once', async () => {
  const queue = new Queue(1);
  const jobs = group(queue, new Places(5));
  const [first] = [jobs.next(), await queue.answer()];
  expect(await idOf(first)).toBe('1');
  expect(await jobs.next()).toEqual([null, '', 0, 0]);
  expect(await queue.answer()).toBe(0);
  const later = jobs.next();
  expect(await queue.answer()).toBe(1);
  expect(await later).toEqual([null, '', 0, 7]);
});

test('who stops looking gets what was taken, also what is on its way, and no more', async () => {
  const queue = new Queue(20);
  const places = new Places(4);
  const jobs = group(queue, places);
  const [first] = [jobs.next(), await queue.answer()];
  await first;
  const rest = jobs.rest();
  expect(await queue.answer()).toBe(3);
  expect((await rest).map(([, id]) => id)).toEqual(['2', '3', '4']);
  for (const [job] of await rest) places.leave(job?.token ?? '');
  expect(await queue.answer()).toBe(0);
  expect(await jobs.rest()).toEqual([]);
});

test('who waits is told that it failed; the next one asks anew, and no place is lost', async () => {
  const queue = new Queue(2);
  const places = new Places(2);
  const jobs = group(queue, places);
  const failing = jobs.next();
  const told = expect(failing).rejects.toThrow('no Redis');
  await queue.fail();
  await told;
  expect(places.free).toBe(2);
  const again = jobs.next();
  await queue.answer();
  expect(await idOf(again)).toBe('1');
});
