import { expect, test } from 'vitest';
import { CopyPace } from '../src/pace/copy-pace.ts';

const retentionMs = 1_090_000;
const afterMs = 60_000;

test('a batch is followed by a pause of nineteen times its time', () => {
  const pace = new CopyPace({ retentionMs, afterMs });
  expect(pace.pauseMs({ tookMs: 100, behindMs: 0 }, 5_000)).toBeCloseTo(1_900);
});

test('shards that are copied at the same time share the time of their worker', () => {
  const pace = new CopyPace({ retentionMs, afterMs });
  expect(pace.pauseMs({ tookMs: 100, behindMs: 0 }, 5_000)).toBeCloseTo(1_900);
  expect(pace.pauseMs({ tookMs: 100, behindMs: 0 }, 5_900)).toBeCloseTo(1_000 + 1_900);
});

test('tasks wait for a tenth of the time that Redis keeps them, and then there is no pause', () => {
  const pace = new CopyPace({ retentionMs, afterMs });
  expect(pace.pauseMs({ tookMs: 1_000, behindMs: 99_000 }, 0)).toBe(1_000);
  expect(pace.pauseMs({ tookMs: 1_000, behindMs: 100_000 }, 2_000)).toBe(0);
  expect(pace.pauseMs({ tookMs: 1_000, behindMs: Number.POSITIVE_INFINITY }, 3_000)).toBe(0);
  const short = new CopyPace({ retentionMs: 90_000, afterMs });
  expect(short.pauseMs({ tookMs: 1_000, behindMs: 0 }, 0)).toBe(0);
  // What it has not rested then is not made up for.
  expect(pace.pauseMs({ tookMs: 1_000, behindMs: 50_000 }, 4_000)).toBeCloseTo(19_000);
});
