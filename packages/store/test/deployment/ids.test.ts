import { expect, test } from 'vitest';
import { deploymentOf, Shards, shardOf } from '../../src/deployment/shards.ts';

const uuid = /^[\da-f]{8}-[\da-f]{4}-[48][\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
const seeds = Array.from({ length: 200 }, (_, n) => `seed ${n}`);

test.each([1, 3, 16, 255])('new and derived ids of deployment %i are UUIDs that have its number', (deployment) => {
  const shards = new Shards('p', 4, deployment);
  for (const seed of seeds)
    for (const id of [shards.newId(seed), shards.derivedId(seed, `of ${seed}`)]) {
      expect(id).toMatch(uuid);
      expect(deploymentOf(id)).toBe(deployment);
      expect(shardOf(id, 4)).toBe(shardOf(seed, 4));
    }
  expect(shards.derivedId('a', 'b')).toBe(shards.derivedId('a', 'b'));
});

test('no id of deployment 0 has a number, and its derived ids are as they always were', () => {
  const shards = new Shards('p', 4);
  for (const seed of seeds)
    for (const id of [shards.newId(seed), shards.derivedId(seed, `of ${seed}`)]) expect(deploymentOf(id)).toBe(0);
  expect(new Shards('p', 1).derivedId('a', 'b')).toBe('840fca44-0045-8d46-8029-1c3d476851da');
});

test('an id that a client chose has no number unless it has the form of ours', () => {
  const chosen = ['', 'my-context', '9d3f8a52-6d70-4b55-b1aa-0123456789ab', '9d3f8a52-6d70-8035-81aa-0123456789ab'];
  for (const id of chosen) expect(deploymentOf(id)).toBe(0);
  expect(deploymentOf('9d3f8a52-6d70-8035-b1aa-0123456789ab')).toBe(3);
  expect(deploymentOf('9d3f8a52-6d70-8035-b1aa-0123456789abc')).toBe(0);
});
