import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SettingsError } from '@switchyard/settings';
import { defaultStoreSettings } from '@switchyard/store';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasProgram } from '../../../tests/support/has-program.ts';
import { readConfig } from '../src/config.ts';
import { defaultGatewaySettings } from '../src/settings/gateway-settings.ts';

const secret = '0123456789abcdef';

function problemsOf(variables: Record<string, string>): string {
  try {
    readConfig(variables);
  } catch (error) {
    if (error instanceof SettingsError) return error.message;
    throw error;
  }
  return '';
}

describe('the settings of a gateway', () => {
  it('have defaults for one machine, not open to others', () => {
    const { gateway, store } = readConfig({});
    expect(gateway).toEqual({ ...defaultGatewaySettings, grpc: { port: 4001 } });
    const maxAnswerBytes = 256 * 1_024 ** 2;
    expect({ ...defaultStoreSettings, maxAnswerBytes, redisUrl: 'redis://127.0.0.1:6379' }).toMatchObject(store);
    expect(gateway.host).toBe('127.0.0.1');
  });

  it('are read from the environment, where an empty variable counts as unset', () => {
    const { gateway, store, logLevel } = readConfig({
      PORT: '0',
      PUBLIC_URL: 'https://agents.example.com/a2a',
      DEFAULT_AGENT: 'pizza',
      SEND_MODE: 'immediate',
      TRUST_PROXY: 'true',
      SHARDS: '4',
      REDIS_URL: '',
      LOG_LEVEL: 'debug',
      PUSH_CLEAR: 'on',
      PUSH_VERIFY: 'on',
    });
    expect(gateway).toMatchObject({
      port: 0,
      publicUrl: 'https://agents.example.com/a2a',
      defaultAgent: 'pizza',
      sendMode: 'immediate',
      trustProxy: true,
      push: { allowsClear: true, asksConsent: true },
    });
    expect(store).toMatchObject({ shards: 4, redisUrl: 'redis://127.0.0.1:6379' });
    expect(logLevel).toBe('debug');
  });

  it('are refused with an error that names every wrong variable, but not its value', () => {
    const problems = problemsOf({
      PORT: 'eighty',
      PUBLIC_URL: 'ftp://nowhere',
      REDIS_URL: 'http://u:hunter2@redis',
      SEND_MODE: 'sometimes',
      AUTH: 'api-key',
      API_KEYS: 'short:me',
      BLOCKING_WAIT_MS: '-5',
    });
    for (const name of ['PORT', 'PUBLIC_URL', 'REDIS_URL', 'SEND_MODE', 'API_KEYS', 'BLOCKING_WAIT_MS']) {
      expect(problems).toMatch(new RegExp(`^ {2}${name}: `, 'm'));
    }
    for (const value of ['eighty', 'hunter2', 'short']) expect(problems).not.toContain(value);
  });

  it.each(['0.0.0.0', '::', '192.168.1.7', 'gateway.example.com'])(
    'do not open %s without authentication unless that is set',
    (HOST) => {
      expect(problemsOf({ HOST })).toMatch(/HOST: .*ALLOW_ANONYMOUS=true/);
      expect(problemsOf({ HOST, ALLOW_ANONYMOUS: 'true' })).toBe('');
      expect(problemsOf({ HOST, AUTH: 'api-key', API_KEYS: `${secret}:me` })).toBe('');
    },
  );

  it.each(['localhost', '127.0.0.1', '127.1.2.3', '::1'])(
    'open %s without authentication: it is on loopback',
    (HOST) => {
      expect(problemsOf({ HOST })).toBe('');
    },
  );

  it('read API keys from the environment and from a file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'switchyard-keys-'));
    const file = join(folder, 'keys');
    await writeFile(file, `# of the team\n${secret}B:bob:acme:read+write\n\n`);
    const { gateway } = readConfig({ AUTH: 'api-key', API_KEYS: `${secret}A:alice`, API_KEYS_FILE: file });
    await rm(folder, { recursive: true });
    expect(gateway.auth).toMatchObject({
      keys: [
        { key: `${secret}A`, subject: 'alice', tenant: 'default', scopes: [] },
        { key: `${secret}B`, subject: 'bob', tenant: 'acme', scopes: ['read', 'write'] },
      ],
    });
  });

  it('name wrong API keys by their position, without quoting them', () => {
    const problemOf = (API_KEYS: string): string => problemsOf({ AUTH: 'api-key', API_KEYS });
    expect(problemOf(`${secret}:a,${secret}`)).toContain('entry 2');
    expect(problemOf(`${secret}:a:b:c:d`)).toContain('entry 1');
    expect(problemOf('short:a')).toContain('fewer than 16');
    expect(problemOf(`${secret}:a,${secret}:b`)).toContain('same key');
    expect(problemOf(`${secret}:a,${secret}:b`)).not.toContain(secret);
    expect(problemsOf({ AUTH: 'api-key', API_KEYS_FILE: '/nowhere' })).toMatch(/API_KEYS_FILE: .*ENOENT/);
  });

  it.each([
    [{ ADMIN_PORT: '4001' }, 'ADMIN_PORT: is also the port for gRPC, which without GRPC_PORT is PORT + 1'],
    [{ ADMIN_PORT: '5000', GRPC_PORT: '5000', HOST: '0.0.0.0', AUTH: 'api-key' }, 'ADMIN_PORT: is also GRPC_PORT'],
    [{ ADMIN_PORT: '4000' }, 'ADMIN_PORT: is also PORT'],
    [{ GRPC_PORT: '4000' }, 'GRPC_PORT: is also PORT'],
  ])('refuse one port for two things, and say which: %j', (variables, problem) => {
    expect(problemsOf({ ADMIN_KEY: secret, ...variables })).toContain(problem);
  });

  it('may have a port twice if it is any free one, or on two addresses', () => {
    expect(problemsOf({ PORT: '0', GRPC_PORT: '0', ADMIN_PORT: '0', ADMIN_KEY: secret })).toBe('');
    expect(problemsOf({ ADMIN_PORT: '4000', ADMIN_HOST: '127.0.0.2', ADMIN_KEY: secret })).toBe('');
  });

  it('refuse API keys if AUTH does not use them', () => {
    for (const AUTH of ['none', 'jwt', ''])
      expect(problemsOf({ AUTH, API_KEYS: `${secret}:me` })).toMatch(/API_KEYS: is only for AUTH=api-key/);
    expect(problemsOf({ AUTH: 'none api-key', API_KEYS: `${secret}:me` })).toMatch(/AUTH: none/);
  });

  it('for tokens require issuer and audience, and no symmetric or missing algorithm', () => {
    const jwt = { AUTH: 'jwt', JWT_ISSUER: 'https://issuer.example.com', JWT_AUDIENCE: 'us them' };
    expect(readConfig(jwt).gateway.auth.jwt).toEqual({
      issuer: 'https://issuer.example.com',
      audience: ['us', 'them'],
      jwksUrl: undefined,
      algorithms: ['RS256', 'PS256', 'ES256', 'EdDSA'],
      clockSkewSeconds: 30,
      claims: { subject: 'sub', tenant: 'tenant', scopes: ['scope', 'scp'], agents: 'agents' },
      defaultTenant: undefined,
      scopePrefix: '',
    });
    expect(problemsOf({ AUTH: 'jwt' })).toMatch(/JWT_ISSUER: is required.*\n.*JWT_AUDIENCE: is required/);
    for (const JWT_ALGORITHMS of ['HS256', 'none', 'ES256 HS512'])
      expect(problemsOf({ ...jwt, JWT_ALGORITHMS })).toMatch(/JWT_ALGORITHMS: must be/);
  });
});

describe.skipIf(!hasProgram('openssl', 'version'))('the files of TLS', () => {
  let folder: string;
  const file = (name: string): string => join(folder, name);

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'switchyard-tls-'));
    const curve = ['-pkeyopt', 'ec_paramgen_curve:P-256'];
    const run = (...args: string[]): void => void execFileSync('openssl', args, { stdio: 'ignore', cwd: folder });
    run('req', '-x509', '-newkey', 'ec', ...curve, '-nodes', '-subj', '/CN=a', '-keyout', 'key', '-out', 'cert');
    run('genpkey', '-algorithm', 'EC', ...curve, '-out', 'other');
    run('pkcs8', '-topk8', '-in', 'key', '-passout', 'pass:secret', '-out', 'encrypted');
    await writeFile(file('empty'), '');
  });

  afterAll(() => rm(folder, { recursive: true }));

  it.each([
    ['cert', 'key', {}, []],
    ['empty', 'key', {}, [/^TLS_CERT_FILE: .*empty is empty$/]],
    ['cert', 'empty', {}, [/^TLS_KEY_FILE: .*empty is empty$/]],
    ['key', 'cert', {}, [/^TLS_CERT_FILE: .*no PEM certificate$/, /^TLS_KEY_FILE: .*no PEM private key$/]],
    ['cert', 'encrypted', {}, [/^TLS_KEY_FILE: .*has an encrypted key: decrypt it$/]],
    ['cert', 'none', {}, [/^TLS_KEY_FILE: .*none cannot be read: there is no such file \(ENOENT\)$/]],
    ['cert', 'other', {}, [/^TLS_CERT_FILE: .*does not belong to the key in .*other$/]],
    ['cert', 'key', { TLS_CLIENT_CA_FILE: 'key' }, [/^TLS_CLIENT_CA_FILE: .*contains no PEM certificate$/]],
  ])('%s and %s with %o are refused once each, with the path and the reason', (cert, key, more, expected) => {
    const given = { TLS_CERT_FILE: cert, TLS_KEY_FILE: key, ...more };
    const paths = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, file(value)]));
    const found = problemsOf(paths).split('\n').slice(1);
    expect(found.map((line) => line.trim())).toEqual(expected.map((each) => expect.stringMatching(each)));
  });
});
