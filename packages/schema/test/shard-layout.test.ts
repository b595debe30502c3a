import { expect, test } from 'vitest';
import { layoutIn, shardLayout } from '../src/shard-layout.ts';

test.each([
  [1, 0, '1'],
  [1, 7, '1 deployment 7'],
  [8, 0, '8 spread'],
  [8, 255, '8 spread deployment 255'],
])('the layout of %i shards in deployment %i says both', (shards, deployment, text) => {
  expect(shardLayout(shards, deployment)).toBe(text);
  expect(layoutIn(text)).toEqual({ shards, deployment });
});
