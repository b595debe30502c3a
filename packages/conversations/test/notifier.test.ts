import { getEventListeners } from 'node:events';
import { Channels } from '@switchyard/redis';
import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { Notifier } from '../src/notifier.ts';

test('a failed subscription leaves no listener on the signal', async () => {
  const servers = { addressOf: () => '', connect: () => new Redis({ lazyConnect: true }), onMove: () => undefined };
  const channels = new Channels(servers, () => undefined);
  channels.stop();
  const { signal } = new AbortController();
  const subscribing = Notifier.subscribe(channels, 'any', { everyMs: 1_000, signal });
  await expect(subscribing).rejects.toThrow('Connection is closed');
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});
