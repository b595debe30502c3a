import { expect, test } from 'vitest';
import { JobGroup, type NextJob, type Take, type Tokens, tokenOf } from '../src/queue/job-group.ts';
import { Places } from '../src/queue/places.ts';

/** A queue of numbered jobs that answers when it is told to, in the order in which it was asked. */
class Queue {
  readonly #asked: { readonly tokens: Tokens; readonly answer: PromiseWithResolvers<Take> }[] = [];
  #next = 1;
  waiting: number;

  constructor(waiting: number) {
    this.waiting = waiting;
  }

  readonly take = (tokens: Tokens): Promise<Take> => {
    const answer = Promise.withResolvers<Take>();
    this.#asked.push({ tokens, answer });
    return answer.promise;
  };

  /** @returns how many were asked for since the last time, in each question: all are answered together */
  async answer(): Promise<number[]> {
    await settled();
    const asked = this.#asked.splice(0);
    for (const { tokens, answer } of asked) answer.resolve(this.#take(tokens));
    await settled();
    return asked.map(({ tokens }) => tokens.count);
  }

  async fail(): Promise<void> {
    await settled();
    for (const { answer } of this.#asked.splice(0)) answer.reject(new Error('no Redis'));
    await settled();
  }

  #take(tokens: Tokens): Take {
    const count = Math.min(tokens.count, this.waiting);
    this.waiting -= count;
    const jobs = Array.from({ length: count }, (_, i): NextJob => {
      const job = { token: tokenOf(tokens, i) } as NonNullable<NextJob[0]>;
      return [job, String(this.#next++), 0, 0];
    });
    return { jobs, others: this.waiting, dueAt: 0 };
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

/** Redis is asked for as many as there are places, and has none. */
async function expectNoneOnAsking(jobs: JobGroup, queue: Queue, places: number): Promise<void> {
  const next = jobs.next(LOOKING);
  expect(await queue.answer()).toEqual([places]);
  expect(await next).toEqual(NONE);
}

test('as many are taken at once as there are places, before they are asked for', async () => {
  const queue = new Queue(8);
  const jobs = group(queue);
  const first = jobs.next(LOOKING);
  expect(await queue.answer()).toEqual([4]);
  expect(await idOf(first)).toBe('1');
  expect(await Promise.all([2, 3, 4].map(() => idOf(jobs.next(LOOKING))))).toEqual(['2', '3', '4']);
  expect(await queue.answer()).toEqual([]);
});

test('for many places Redis is asked for some of them, and for the next ones when it has answered', async () => {
  const queue = new Queue(44);
  const jobs = group(queue, { places: new Places(50) });
  const first = jobs.next(LOOKING);
  expect([await queue.answer(), await queue.answer(), await queue.answer()]).toEqual([[16], [16], [12]]);
  const rest = Array.from({ length: 43 }, () => idOf(jobs.next(LOOKING)));
  expect(await Promise.all([idOf(first), ...rest])).toEqual(Array.from({ length: 44 }, (_, i) => String(i + 1)));
  expect(await queue.answer()).toEqual([]);
});

test('each is taken with a token of its own, and has its place until that leaves', async () => {
  const queue = new Queue(3);
  const places = new Places(2);
  const jobs = group(queue, { places });
  const one = await taken(jobs, queue);
  const [two] = await jobs.next(LOOKING);
  expect(two?.token).not.toBe(one);
  expect(places.free).toBe(0);
  places.leave(one);
  const third = jobs.next(LOOKING);
  expect(await queue.answer()).toEqual([1]);
  expect(await idOf(third)).toBe('3');
});

test('a place for which there was no job is free again', async () => {
  const queue = new Queue(2);
  const places = new Places(4);
  await taken(group(queue, { places }), queue);
  expect(places.free).toBe(2);
});

test('in the places of those that ended together others are asked for together', async () => {
  const queue = new Queue(1);
  const jobs = group(queue);
  const token = await taken(jobs, queue);
  const none = [1, 2, 3].map(() => jobs.next(token));
  expect(await queue.answer()).toEqual([3]);
  expect(await Promise.all(none)).toEqual([NONE, NONE, NONE]);
  queue.waiting = 2;
  const some = [1, 2, 3].map(() => jobs.next(token));
  expect([await queue.answer(), await queue.answer()]).toEqual([[3], []]);
  expect(await Promise.all(some.map(idOf))).toEqual(['2', '3', '']);
});

test('who asks while an answer is on its way is asked for with the next one', async () => {
  const queue = new Queue(3);
  const jobs = group(queue, { takesAhead: false });
  const token = await taken(jobs, queue);
  const [early] = [jobs.next(token), await settled()];
  const late = [jobs.next(token), jobs.next(token)];
  expect([await queue.answer(), await queue.answer(), await queue.answer()]).toEqual([[1], [2], []]);
  expect(await Promise.all([early, ...late].map(idOf))).toEqual(['2', '3', '']);
});

test('nothing is taken ahead in the place of a job that has ended, nor for who is choosy', async () => {
  const queue = new Queue(1);
  const jobs = group(queue);
  const token = await taken(jobs, queue);
  expect(await jobs.next(LOOKING)).toEqual(NONE);
  queue.waiting = 8;
  const after = jobs.next(token);
  expect([await queue.answer(), await idOf(after), await queue.answer()]).toEqual([[1], '2', []]);
  const choosy = group(queue, { takesAhead: false });
  const next = choosy.next(LOOKING);
  expect([await queue.answer(), await idOf(next), await queue.answer()]).toEqual([[1], '3', []]);
});

test('where BullMQ takes one and does not say how many wait, those who wait are asked for until there is none', async () => {
  const known = new Queue(2);
  const unknown = async (tokens: Tokens): Promise<Take> => ({ ...(await known.take(tokens)), others: undefined });
  const jobs = new JobGroup(unknown, new Places(4), { takesAhead: true });
  const first = jobs.next(LOOKING);
  known.waiting = 1;
  await known.answer();
  const token = (await first)[0]?.token ?? '';
  known.waiting = 1;
  const next = [1, 2, 3].map(() => jobs.next(token));
  expect([await known.answer(), await known.answer(), await known.answer()]).toEqual([[3], [2], []]);
  expect(await Promise.all(next.map(idOf))).toEqual(['2', '', '']);
});

test('behind the last job nothing is asked, once', async () => {
  const queue = new Queue(2);
  const jobs = group(queue);
  await taken(jobs, queue);
  expect(await idOf(jobs.next(LOOKING))).toBe('2');
  expect(await jobs.next(LOOKING)).toEqual(NONE);
  expect(await queue.answer()).toEqual([]);
  await expectNoneOnAsking(jobs, queue, 2);
});

test('who has waited for news is not told from memory that there is nothing', async () => {
  const queue = new Queue(1);
  const jobs = group(queue);
  await taken(jobs, queue);
  await jobs.wait(async () => ({ member: '0', score: 0 }));
  await expectNoneOnAsking(jobs, queue, 3);
});

test('nobody waits for news while jobs are there that were taken ahead, or are on their way', async () => {
  const queue = new Queue(18);
  const jobs = group(queue, { places: new Places(18) });
  const first = jobs.next(LOOKING);
  await queue.answer(); // sixteen are there, and two are on their way
  await first;
  let waits = 0;
  const wait = (): Promise<unknown> =>
    jobs.wait(async () => {
      waits++;
      return null;
    });
  expect(await wait()).toEqual({ member: '0', score: 0 });
  for (let i = 0; i < 15; i++) await jobs.next(LOOKING);
  expect([await wait(), await queue.answer(), await wait()]).toEqual([
    { member: '0', score: 0 },
    [2],
    { member: '0', score: 0 },
  ]);
  expect([await idOf(jobs.next(LOOKING)), await idOf(jobs.next(LOOKING))]).toEqual(['17', '18']);
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
  const queue = new Queue(40);
  const places = new Places(18);
  const jobs = group(queue, { places });
  await taken(jobs, queue);
  places.close();
  const stopped = jobs.rest();
  expect(await queue.answer()).toEqual([2]);
  const rest = await stopped;
  expect(rest.map(([, id]) => id)).toEqual(Array.from({ length: 17 }, (_, i) => String(i + 2)));
  for (const [job] of rest) places.leave(job?.token ?? '');
  expect(await queue.answer()).toEqual([]);
  expect(await jobs.rest()).toEqual([]);
  // BullMQ's worker asks once more, for a marker that it was waiting for when it was told to pause.
  const last = jobs.next(LOOKING);
  expect([await queue.answer(), await idOf(last), await queue.answer()]).toEqual([[1], '19', []]);
  places.open();
  const next = jobs.next(LOOKING);
  expect([await queue.answer(), await idOf(next), await queue.answer()]).toEqual([[16], '20', []]);
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
