import { setImmediate as nextLoop } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { Batches, type BatchOptions } from '../src/batches.ts';

/** A stand-in for Redis that replies when the test calls `reply` or `fail`. */
class StandInRedis {
  /** The received messages: each is a list of requests. */
  readonly messages: (readonly string[])[] = [];
  readonly #replies: PromiseWithResolvers<string[]>[] = [];

  readonly send = (requests: readonly string[]): Promise<string[]> => {
    this.messages.push(requests);
    const reply = Promise.withResolvers<string[]>();
    this.#replies.push(reply);
    return reply.promise;
  };

  async reply(n: number, ...texts: string[]): Promise<void> {
    this.#replies[n]?.resolve(texts);
    await nextLoop();
  }

  async fail(n: number, message = 'away'): Promise<void> {
    this.#replies[n]?.reject(new Error(message));
    await nextLoop();
  }
}

const deadline = { ms: 1_000, health: { isAnswering: true, isAnsweringFor: () => true } };

const options = { requests: 32, messages: 1, afterFailure: 'each', gather: 'microtask' } as const;

function opened(
  messages = 1,
  more: Partial<BatchOptions<string, string>> = {},
): { batches: Batches<string, string>; redis: StandInRedis } {
  const redis = new StandInRedis();
  return { batches: new Batches({ ...options, messages, send: redis.send, ...more }), redis };
}

describe('batches', () => {
  test('requests of one tick of the event loop are sent in one message, equal ones once', async () => {
    const { batches, redis } = opened();
    const responses = ['a', 'b', 'a'].map((name) => batches.send(name));
    await nextLoop();
    expect(redis.messages).toEqual([['a', 'b']]);
    await redis.reply(0, 'A', 'B');
    expect(await Promise.all(responses)).toEqual(['A', 'B', 'A']);
  });

  test('requests behind a message that reached its deadline are refused with it, and not sent', async () => {
    const { batches, redis } = opened(1, { deadline });
    const first = batches.send('a');
    await nextLoop();
    const second = batches.send('b');
    const refused = Promise.all([first, second].map((sent) => expect(sent).rejects.toThrow('Command timed out')));
    await redis.fail(0, 'Command timed out');
    await refused;
    expect(redis.messages).toEqual([['a']]);
  });

  test('requests during a message are sent after its reply, and do not get its responses', async () => {
    const { batches, redis } = opened();
    const before = batches.send('a');
    await nextLoop();
    const after = [batches.send('a'), batches.send('a'), batches.send('b')];
    await nextLoop();
    expect(redis.messages).toEqual([['a']]);
    await redis.reply(0, 'old');
    expect(redis.messages).toEqual([['a'], ['a', 'b']]);
    await redis.reply(1, 'new', 'B');
    expect(await before).toBe('old');
    expect(await Promise.all(after)).toEqual(['new', 'new', 'B']);
  });

  test('with two messages in flight, later requests are sent after the first reply', async () => {
    const { batches, redis } = opened(2);
    for (const name of ['a', 'b', 'c', 'd']) {
      void batches.send(name);
      await nextLoop();
    }
    expect(redis.messages).toEqual([['a'], ['b']]);
    await redis.reply(1, 'B');
    expect(redis.messages).toEqual([['a'], ['b'], ['c', 'd']]);
    void batches.send('e');
    await nextLoop();
    await redis.reply(0, 'A');
    expect(redis.messages.slice(3)).toEqual([['e']]);
  });

  test('a message has at most 32 requests', async () => {
    const { batches, redis } = opened();
    const names = Array.from({ length: 70 }, (_, i) => `${i}`);
    const responses = names.map((name) => batches.send(name));
    for (let n = 0; n < 3; n++) {
      await nextLoop();
      await redis.reply(n, ...(redis.messages[n] ?? []));
    }
    expect(redis.messages.map((requests) => requests.length)).toEqual([32, 32, 6]);
    expect(await Promise.all(responses)).toEqual(names);
  });

  test('a slow response, such as a large text, does not delay others', async () => {
    const slow = Promise.withResolvers<string>();
    const ask = async (names: readonly string[]): Promise<(string | Promise<string>)[]> =>
      names.map((name) => (name === 'large' ? slow.promise : name));
    const batches = new Batches({ ...options, send: ask });
    const large = batches.send('large');
    expect(await batches.send('small')).toBe('small');
    expect(await batches.send('late')).toBe('late');
    slow.resolve('text');
    expect(await large).toBe('text');
  });

  test('the requests of a message fail together, and the next ones are sent', async () => {
    const { batches, redis } = opened();
    const failing = ['a', 'a', 'b'].map((name) => batches.send(name));
    const outcomes = Promise.allSettled(failing);
    await nextLoop();
    const next = batches.send('b');
    await redis.fail(0);
    expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    await redis.reply(1, 'B');
    expect(await next).toBe('B');
  });

  test('the messages of a shard do not wait for those of another', async () => {
    const redis = new StandInRedis();
    const [here, there] = [
      new Batches({ ...options, send: redis.send }),
      new Batches({ ...options, send: redis.send }),
    ];
    void here.send('a');
    await nextLoop();
    void there.send('b');
    void here.send('c');
    await nextLoop();
    expect(redis.messages).toEqual([['a'], ['b']]);
  });

  describe('whose requests have their effect in order', () => {
    const ordered = { requests: 2, afterFailure: 'none', gather: 'tick' } as const;

    test('send together what comes in one turn of the event loop', async () => {
      const { batches, redis } = opened(1, ordered);
      void batches.send('a');
      await Promise.resolve().then(() => Promise.resolve());
      void batches.send('b');
      expect(redis.messages).toEqual([]);
      await nextLoop();
      expect(redis.messages).toEqual([['a', 'b']]);
    });

    test('send nothing after a request that failed, and reject those behind it and later ones', async () => {
      const { batches, redis } = opened(1, ordered);
      const failing = ['a', 'b', 'c'].map((name) => batches.send(name));
      const outcomes = Promise.allSettled(failing);
      await nextLoop();
      await redis.fail(0);
      expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
      await expect(batches.enqueue('d', 64)).rejects.toThrow('away');
      await expect(batches.settled()).rejects.toThrow('away');
      expect(redis.messages).toEqual([['a', 'b']]);
    });

    test('let a caller go on until too many requests wait, and say when all have their responses', async () => {
      const { batches, redis } = opened(1, ordered);
      const done: string[] = [];
      for (const name of ['a', 'b', 'c']) void batches.enqueue(name, 3).then(() => done.push(name));
      void batches.settled().then(() => done.push('settled'));
      await nextLoop();
      expect(done).toEqual(['a', 'b']);
      await redis.reply(0, 'A', 'B');
      expect(done).toEqual(['a', 'b']);
      await redis.reply(1, 'C');
      expect(done).toEqual(['a', 'b', 'c', 'settled']);
    });
  });

  test('if Redis refuses a message, its requests are sent again one by one, and only the reason is rejected', async () => {
    const messages: (readonly string[])[] = [];
    const send = async (requests: readonly string[]): Promise<readonly string[]> => {
      messages.push(requests);
      if (requests.includes('bad')) throw Object.assign(new Error('refused'), { name: 'ReplyError' });
      return requests;
    };
    const batches = new Batches({ ...options, send });
    const outcomes = await Promise.allSettled(['a', 'bad', 'b'].map((name) => batches.send(name)));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(messages).toEqual([['a', 'bad', 'b'], ['a'], ['bad'], ['b']]);
  });
});
