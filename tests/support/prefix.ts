import { randomBytes } from 'node:crypto';

/** A key prefix for one test file: the files of a run share one Redis. */
export function uniquePrefix(): string {
  return `t${randomBytes(6).toString('hex')}`;
}
