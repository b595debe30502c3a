import { expect, it } from 'vitest';
import { nextSteps } from '../../src/up/next-steps.ts';
import { openOperators } from '../../src/up/operators.ts';
import { urlOf } from '../../src/up/settings.ts';

const guide = { command: 'npx switchyard', example: 'I want a pizza', addWorker: 'npx switchyard worker' };

const redisUrl = 'redis://127.0.0.1:6379';
const agent = { agents: ['pizza/agent.ts'], defaultAgent: 'pizza' };
const settings = { host: '127.0.0.1', port: 4000, grpcPort: '0', redisUrl, ...agent };
const curls = (text: string) => text.split('\n').filter((line) => /(?:^|\()curl /.test(line));

const key = {
  header: 'X-API-Key: $A2ACLI_API_KEY',
  next: 'npx switchyard keys create --subject ada\nexport A2ACLI_API_KEY=',
};
const token = { header: 'Authorization: Bearer $A2ACLI_BEARER', next: 'export A2ACLI_BEARER=' };

it.each([
  [{ AUTH: 'api-key' }, key],
  [{ AUTH: 'api-key,jwt' }, key],
  [{ AUTH: 'jwt' }, token],
])('the printed commands contain the credential that callers need: %j', (environment, { header, next }) => {
  const text = nextSteps({ ...settings, environment }, guide);
  expect(curls(text)).toHaveLength(1);
  expect(curls(text)[0]).toContain(`curl -H "${header}" `);
  expect(text).toContain(next);
});

it.each([[{ AUTH: 'none' }], [{}]])(
  'the printed commands contain no credential if callers need none: %j',
  (environment) => {
    expect(nextSteps({ ...settings, environment }, guide)).not.toMatch(/-H "|A2ACLI_/);
  },
);

it('the printed commands send data to an agent that works on data', () => {
  const text = nextSteps({ ...settings, environment: {} }, { ...guide, data: { item: "an ox's yoke" } });
  expect(text).toContain(`npx switchyard send --stream --data '{"item":"an ox'\\''s yoke"}'\n`);
  expect(text).toContain(`"parts": [{"data": {"item":"an ox'\\''s yoke"}}]`);
});

it('the printed commands name the data folder if it is not a default one', () => {
  const text = nextSteps({ ...settings, environment: { DATA_DIR: '/tmp/my data' } }, guide);
  const commands = text.split('\n').filter((line) => /switchyard (?:send|task|chat)/.test(line));
  expect(commands).toHaveLength(4);
  for (const line of commands) expect(line).toMatch(/^DATA_DIR='\/tmp\/my data' npx switchyard /);
});

it.each([
  ['::1', '[::1]'],
  ['::', '127.0.0.1'],
  ['0.0.0.0', '127.0.0.1'],
  ['localhost', 'localhost'],
])('HOST and ADMIN_HOST %s are called at %s', async (host, called) => {
  expect(urlOf({ host, port: 4000 })).toBe(`http://${called}:4000`);
  const given = { adminHost: host, adminPort: 4100, adminKey: 'key', dataFolder: 'unused', servesConsole: true };
  const { consoleUrl } = await openOperators(given);
  expect(consoleUrl).toBe(`http://${called}:4100/console/`);
  expect(new URL(consoleUrl ?? '').port).toBe('4100');
});
