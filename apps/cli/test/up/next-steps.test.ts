import { expect, it } from 'vitest';
import { nextSteps } from '../../src/up/next-steps.ts';
import { openOperators } from '../../src/up/operators.ts';
import { urlOf } from '../../src/up/settings.ts';

const guide = { command: 'npx switchyard', example: 'I want a pizza', addWorker: 'npx switchyard worker' };

const redisUrl = 'redis://127.0.0.1:6379';
const agent = { agents: ['pizza/agent.ts'], defaultAgent: 'pizza' };
const settings = { host: '127.0.0.1', port: 4000, grpcPort: '0', redisUrl, ...agent };
const unset = { redisUrl: undefined, redisPort: undefined, defaultAgent: undefined };
const curls = (text: string) => text.split('\n').filter((line) => /(?:^|\()curl /.test(line));

it.each([
  [{ AUTH: 'api-key' }, true],
  [{ AUTH: 'api-key,jwt' }, true],
  [{ AUTH: 'none' }, false],
  [{}, false],
])('the printed commands contain a key if callers need one: %j', (environment, needsKey) => {
  const text = nextSteps({ ...settings, environment }, guide);
  expect(curls(text)).toHaveLength(1);
  expect(curls(text)[0]?.includes('-H "X-API-Key: $A2ACLI_API_KEY"')).toBe(needsKey);
  expect(text.includes('export A2ACLI_API_KEY=')).toBe(needsKey);
});

it.each([
  ['::1', '[::1]'],
  ['::', '127.0.0.1'],
  ['0.0.0.0', '127.0.0.1'],
  ['localhost', 'localhost'],
])('HOST and ADMIN_HOST %s are called at %s', async (host, called) => {
  expect(urlOf({ host, port: 4000 })).toBe(`http://${called}:4000`);
  const given = { adminHost: host, adminPort: 4100, adminKey: 'key', dataFolder: 'unused', servesConsole: true };
  const { consoleUrl } = await openOperators({ ...given, port: 0, host, grpcPort: 'off', ...unset });
  expect(consoleUrl).toBe(`http://${called}:4100/console/`);
  expect(new URL(consoleUrl ?? '').port).toBe('4100');
});
