import { SettingsError } from '@switchyard/settings';
import { expect, it } from 'vitest';
import { startRedis } from '../../../../tests/support/redis.ts';
import { until } from '../../../../tests/support/until.ts';
import { readConfig } from '../../src/config.ts';
import { openAdminStage } from './support.ts';

it("there is no operators' port unless it is set, and its default host is loopback", () => {
  const key = '0123456789abcdef';
  expect(readConfig({ ADMIN_KEY: key }).gateway.admin).toBeUndefined();
  expect(readConfig({ ADMIN_PORT: '4100', ADMIN_KEY: key }).gateway.admin).toEqual({
    host: '127.0.0.1',
    port: 4100,
    key,
    hasConsole: true,
  });
  const off = readConfig({ ADMIN_PORT: '4100', ADMIN_KEY: key, CONSOLE: 'off' }).gateway.admin;
  expect(off?.hasConsole).toBe(false);
});

it('the console signs in at an issuer only if the gateway accepts its tokens', () => {
  const env = { ADMIN_PORT: '4100', ADMIN_KEY: '0123456789abcdef', CONSOLE_OIDC_CLIENT_ID: 'console' };
  expect(() => readConfig(env)).toThrow(/CONSOLE_OIDC_CLIENT_ID: .*AUTH=jwt/);
  const jwt = { AUTH: 'jwt', JWT_ISSUER: 'https://issuer.example', JWT_AUDIENCE: 'switchyard' };
  expect(readConfig({ ...env, ...jwt, PUSH: 'off' }).gateway.admin?.oidc).toEqual({
    issuer: 'https://issuer.example',
    clientId: 'console',
    audience: 'switchyard',
    scopes: 'openid admin send read cancel',
  });
});

it("the operators' port needs a key of at least 16 characters, which no error repeats", () => {
  for (const key of ['', 'too-short-secret'.slice(0, 15)]) {
    const read = (): unknown => readConfig({ ADMIN_PORT: '4100', ADMIN_KEY: key });
    expect(read).toThrow(SettingsError);
    expect(read).toThrow(
      /ADMIN_KEY: (?:ADMIN_PORT needs a key, here or in ADMIN_KEY_FILE|must have at least 16 characters)/,
    );
    expect(read).not.toThrow(/too-short/);
  }
  expect(() => readConfig({ ADMIN_PORT: 'x', ADMIN_KEY: '0123456789abcdef' })).toThrow(
    'ADMIN_PORT: must be a whole number from 0 to 65535',
  );
});

it('while Redis is unreachable, operators get 503 at once, and metrics are still served', async () => {
  const redis = await startRedis();
  await using stage = await openAdminStage({ redisUrl: redis.url }, { storeTimeoutMs: 300 });
  await redis.stop();
  const away = await until(
    async () => {
      const answer = await stage.ask<unknown>('/admin/agents');
      return answer.status === 503 && answer;
    },
    { what: 'the outage is noticed' },
  );
  expect(away.headers.get('retry-after')).toBe('1');
  const read = async (): Promise<string> => {
    const response = await fetch(`${stage.adminUrl}/metrics`, { headers: { 'x-api-key': 'a-key-for-operators' } });
    return response.text();
  };
  await until(async () => (await read()).includes('switchyard_redis_up 0'), {
    what: 'metrics report the outage',
  });
  expect(await read()).not.toContain('switchyard_queue_jobs{');
});
