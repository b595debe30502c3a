import { expect, test } from 'vitest';
import { shardOf, tagNumber } from '../../src/deployment/shards.ts';

const SLOTS = 16_384;

test('1 to 16 shards are distributed evenly over 3 to 16 masters', () => {
  for (let shards = 1; shards <= 16; shards++) {
    const slots = Array.from({ length: shards }, (_, shard) => shardOf(`s${tagNumber(shard, shards)}`, SLOTS));
    for (let masters = 3; masters <= 16; masters++) {
      const counts = Array.from({ length: masters }, () => 0);
      for (const slot of slots) {
        const master = Math.floor((slot * masters) / SLOTS);
        counts[master] = (counts[master] ?? 0) + 1;
      }
      const spread = Math.max(...counts) - Math.min(...counts);
      expect(spread, `${shards} shards on ${masters} masters: ${counts}`).toBeLessThanOrEqual(1);
    }
  }
});

test('a single shard has the tag 0', () => {
  expect(tagNumber(0, 1)).toBe(0);
});
