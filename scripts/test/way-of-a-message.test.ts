import { expect, inject, it } from 'vitest';
import { wayOfAMessage } from '../structure/way-of-a-message.ts';

/** To read how a message is sent is to read so many files at most; seven of them are the indexes of packages. */
const MOST_FILES = 62;

it('An immediate SendMessage goes through few files, from the socket to Redis', async () => {
  const files = await wayOfAMessage(process.cwd(), inject('redisUrl'));
  expect(files).toContain('packages/store/src/tasks/accept.ts');
  expect(files.length).toBeLessThanOrEqual(MOST_FILES);
});
