import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { UploadLocks } from '../src/files/upload-locks.ts';

const never = new AbortController().signal;

describe('The lock of an upload', () => {
  it('is given to the requests that wait, one after the other, each of which asks the holder once', async () => {
    const locks = new UploadLocks();
    const asked: string[] = [];
    const got: string[] = [];
    const request = (name: string) => {
      const lock = locks.newLock('u', () => undefined);
      const locked = lock.lock(never, () => void asked.push(name)).then(() => void got.push(name));
      return { lock, locked };
    };
    const first = request('first');
    await first.locked;
    const others = [request('second'), request('third')];
    for (let i = 0; i < 100; i++) await setImmediate();
    expect([got, asked]).toEqual([['first'], ['first', 'first']]);
    await first.lock.unlock();
    await others[0]?.locked;
    for (let i = 0; i < 100; i++) await setImmediate();
    expect([got, asked.length]).toEqual([['first', 'second'], 3]);
    await others[0]?.lock.unlock();
    await others[1]?.locked;
    expect(got).toEqual(['first', 'second', 'third']);
  });

  it('of another upload is free, and a request that ends waits no longer', async () => {
    const locks = new UploadLocks();
    await locks.newLock('one', () => undefined).lock(never, () => undefined);
    await locks.newLock('other', () => undefined).lock(never, () => undefined);
    const ending = new AbortController();
    const waiting = locks.newLock('one', () => undefined).lock(ending.signal, () => undefined);
    ending.abort();
    await expect(waiting).rejects.toMatchObject({ reason: 'unavailable' });
    await expect(locks.newLock('one', () => undefined).lock(ending.signal, () => undefined)).rejects.toThrow(
      'writes this upload',
    );
  });
});
