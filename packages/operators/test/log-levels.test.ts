import { expect, test } from 'vitest';
import { testLedger, testStore } from '../../../tests/support/store/redis.ts';
import { until } from '../../../tests/support/until.ts';

const ledger = await testLedger();
const store = await testStore({ redisUrl: ledger.url });
const levels = store.ops.logLevels;

test('processes are notified of an ordered log level, of the next one, and of its end', async () => {
  const received: (string | undefined)[] = [];
  await levels.follow(
    ({ level }) => received.push(level),
    (error) => expect.fail(error.message),
  );
  await levels.set('debug', 60_000);
  await until(() => received.at(-1) === 'debug', { what: 'the first level' });
  await levels.set('warn', 60_000);
  await until(() => received.at(-1) === 'warn', { what: 'the second level' });
  await levels.set('warn', 0);
  await until(() => received.at(-1) === undefined, { what: 'the end of the order' });
});

test('a log level is written and announced in one script call', async () => {
  await levels.set('debug', 60_000);
  const { commands } = await ledger.during(() => levels.set('warn', 60_000));
  expect(commands.filter((name) => !['get', 'pttl'].includes(name))).toEqual(['evalsha']);
  expect(await levels.read()).toMatchObject({ level: 'warn' });
});
