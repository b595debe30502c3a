import { beforeEach, expect, it, vi } from 'vitest';
import { facts } from './support/contents.ts';
import { newFolder } from './support/places.ts';

const hashed = vi.hoisted(() => ({ bytes: 0 }));

vi.mock('node:crypto', async (original) => {
  const crypto = await original<typeof import('node:crypto')>();
  const count = (content: unknown): void => {
    if (content instanceof Uint8Array) hashed.bytes += content.length;
  };
  return {
    ...crypto,
    hash: (...given: Parameters<typeof crypto.hash>) => {
      count(given[1]);
      return crypto.hash(...given);
    },
    createHash: (...given: Parameters<typeof crypto.createHash>) => {
      const hash = crypto.createHash(...given);
      const update = hash.update.bind(hash);
      hash.update = (content: string | NodeJS.ArrayBufferView) => {
        count(content);
        return typeof content === 'string' ? update(content) : update(content);
      };
      return hash;
    },
  };
});

const bytes = Buffer.alloc(300_000, 'x');

beforeEach(() => {
  hashed.bytes = 0;
});

it.each([[], ['a secret']])(
  'what a part had as raw is hashed once, when it is new and when it is known',
  async (...secrets) => {
    const files = (await newFolder()).open({ maxFileBytes: 1_000_000, maxBytesPerPrincipal: 1_000_000 }, secrets);
    await files.start();
    await files.writeRaw('o', { facts, bytes, keeper: { taskId: 'first' } });
    expect(hashed.bytes).toBe(bytes.length);
    await files.writeRaw('o', { facts, bytes, keeper: { taskId: 'second' } });
    expect(hashed.bytes).toBe(2 * bytes.length);
  },
);
