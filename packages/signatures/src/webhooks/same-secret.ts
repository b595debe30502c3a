import { createHash, timingSafeEqual } from 'node:crypto';

/** Takes as long whether the first letter is wrong or the last. */
export function isSameSecret(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
