import { expect, it } from 'vitest';
import { ErrorThrottle } from '../src/index.ts';

it('of errors that repeat, one is worth a line, and each kind has its own', () => {
  const throttle = new ErrorThrottle();
  const errors = ['ECONNREFUSED', 'ECONNREFUSED', 'LOADING', 'ECONNREFUSED'].map((message) => new Error(message));
  expect(errors.map((error) => throttle.isDue(error))).toEqual([true, false, true, false]);
});
