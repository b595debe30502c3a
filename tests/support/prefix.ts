import { randomBytes } from 'node:crypto';

/** A key prefix of one test file's own: all files of a run share one Redis and never meet in it. */
export function uniquePrefix(): string {
  return `t${randomBytes(6).toString('hex')}`;
}
