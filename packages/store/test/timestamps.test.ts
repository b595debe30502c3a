import { includedFile, withIncludes } from '@switchyard/redis';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { testRedis } from './support/redis.ts';

const redis = testRedis();
const script = `${withIncludes(includedFile('@switchyard/redis/timestamps.lua', new URL(import.meta.url)))}
local texts = {}
for i, ms in ipairs(ARGV) do texts[i] = timestamp(tonumber(ms)) .. ' ' .. sortable(tonumber(ms)) end
return texts`;

const day = 86_400_000;
/** The first time that has nine digits in base 36. */
const END = 36 ** 8;
const corners = [0, 999, 1_000, 59_999, 60_000, day - 1, day, Date.UTC(2000, 1, 29), Date.UTC(2026, 11, 31), END - 1];

it('times are written as JavaScript writes them', async () => {
  const times = [...corners, ...fc.sample(fc.integer({ min: 0, max: END - 1 }), 2_000)];
  const written = (ms: number): string => `${new Date(ms).toISOString()} ${ms.toString(36).padStart(8, '0')}`;
  expect(await redis.eval(script, 0, ...times)).toEqual(times.map(written));
});
