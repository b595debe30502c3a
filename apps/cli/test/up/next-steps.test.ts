import { expect, it } from 'vitest';
import { nextSteps } from '../../src/up/next-steps.ts';

const redisUrl = 'redis://127.0.0.1:6379';
const agent = { agents: ['pizza/agent.ts'], defaultAgent: 'pizza' };
const settings = { host: '127.0.0.1', port: 4000, grpcPort: '0', redisUrl, ...agent };
const curls = (text: string) => text.split('\n').filter((line) => /(?:^|\()curl /.test(line));

it.each([
  [{ AUTH: 'api-key' }, true],
  [{ AUTH: 'api-key,jwt' }, true],
  [{ AUTH: 'none' }, false],
  [{}, false],
])('the commands that npm start prints show a key where callers need one: %j', (environment, needsKey) => {
  const text = nextSteps({ ...settings, environment });
  expect(curls(text)).toHaveLength(3);
  expect(curls(text).every((line) => line.includes('-H "Authorization: Bearer $API_KEY"'))).toBe(needsKey);
  expect(text.includes('export API_KEY=')).toBe(needsKey);
});
