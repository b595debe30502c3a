import { expect, test } from 'vitest';
import { until } from '../../../../tests/support/until.ts';
import { testLedger, testStore } from '../support/redis.ts';

const ledger = await testLedger();
const store = await testStore({ redisUrl: ledger.url });
const levels = store.ops.logLevels;

test('all processes hear of an order, of the next one, and that it was taken back', async () => {
  const heard: (string | undefined)[] = [];
  await levels.follow(
    ({ level }) => heard.push(level),
    (error) => expect.fail(error.message),
  );
  await levels.set('debug', 60_000);
  await until(() => heard.at(-1) === 'debug', { what: 'the order' });
  await levels.set('warn', 60_000);
  await until(() => heard.at(-1) === 'warn', { what: 'the next order' });
  await levels.set('warn', 0);
  await until(() => heard.at(-1) === undefined, { what: 'that it was taken back' });
});

test('an order is written and announced in one step', async () => {
  await levels.set('debug', 60_000);
  const { commands } = await ledger.during(() => levels.set('warn', 60_000));
  expect(commands.filter((name) => !['get', 'pttl'].includes(name))).toEqual(['evalsha']);
  expect(await levels.read()).toMatchObject({ level: 'warn' });
});
