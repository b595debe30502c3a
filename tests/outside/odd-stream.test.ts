import { describe, expect, it } from 'vitest';
import { SentEventParser } from '../support/sent-events.ts';
import { Chance } from './support/chance.ts';
import { oddEvents, oddJson } from './support/odd-stream.ts';

const oddities = { nulls: ['url', 'filename'], free: ['data'] };

describe('an odd stream', () => {
  it('has the meaning of the plain one, for a parser of the standard', () => {
    const values = [{ text: 'Zür"ich\n🍕' }, { data: { a: [1, null], b: 'x' } }, { text: '' }];
    for (let seed = 0; seed < 300; seed++) {
      const chance = new Chance(seed);
      const events = values.map((value, at) => ({ data: oddJson(value, chance, oddities), id: `${at}` }));
      const read = new SentEventParser().push(oddEvents(events, chance));
      expect(
        read.map(({ eventId }) => eventId),
        `seed ${seed}`,
      ).toEqual(['0', '1', '2']);
      expect(
        read.map(({ text }) => JSON.parse(text)),
        `seed ${seed}`,
      ).toMatchObject(values);
    }
  });

  it('is the same for the same seed, and another one for another seed', () => {
    const written = (seed: number) => oddJson({ text: 'a'.repeat(50), list: [1, 2, 3] }, new Chance(seed), oddities);
    expect(written(1)).toBe(written(1));
    expect(new Set(Array.from({ length: 50 }, (_, seed) => written(seed))).size).toBeGreaterThan(30);
  });
});
