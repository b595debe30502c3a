import { expect, it } from 'vitest';
import { ErrorThrottle } from '../src/index.ts';

it('of repeated errors with the same message only the first is due', () => {
  const throttle = new ErrorThrottle();
  const errors = ['ECONNREFUSED', 'ECONNREFUSED', 'LOADING', 'ECONNREFUSED'].map((message) => new Error(message));
  expect(errors.map((error) => throttle.isDue(error))).toEqual([true, false, true, false]);
});
