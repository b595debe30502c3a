import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultStoreSettings } from '@switchyard/store';
import { describe, expect, it } from 'vitest';
import { readArguments, readConfig } from '../src/config.ts';
import { defaultPushSettings } from '../src/push/push-settings.ts';

describe('the settings of a worker', () => {
  it('default to the defaults of the store and of push notifications', () => {
    const { store, worker, metrics } = readConfig({});
    expect({ ...defaultStoreSettings, redisUrl: 'redis://127.0.0.1:6379' }).toMatchObject(store);
    expect(worker.push).toEqual({ ...defaultPushSettings, signingKey: undefined });
    expect(metrics).toBeUndefined();
  });

  it('leave the size of answers unlimited (maxAnswerBytes)', () => {
    expect({ ...defaultStoreSettings, ...readConfig({}).store }.maxAnswerBytes).toBe(Number.POSITIVE_INFINITY);
  });

  it('include those gateway settings that concern writing tasks', () => {
    const { store } = readConfig({ WAIT_REPLICAS: '1', IDEMPOTENCY_MS: '5000', PUSH_SECRET: 'one two' });
    expect(store).toMatchObject({ waitReplicas: 1, idempotencyMs: 5_000, pushSecrets: ['one', 'two'] });
  });

  it('have the secrets of files from the variable and the file, and refuse an empty file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'worker-config-'));
    const [secret, empty] = [join(folder, 'secret'), join(folder, 'empty')];
    await Promise.all([writeFile(secret, 'three\n'), writeFile(empty, '\n')]);
    const given = { FILES_URL: `file://${folder}`, FILES_SECRET: 'one two' };
    expect(readConfig({ ...given, FILES_SECRET_FILE: secret }).worker.files?.secrets).toEqual(['one', 'two', 'three']);
    expect(() => readConfig({ ...given, FILES_SECRET_FILE: empty })).toThrow(/FILES_SECRET_FILE: .*empty is empty/);
  });

  it('are refused with an invalid PUSH_SIGNING_KEY; the error does not contain the key', () => {
    expect(() => readConfig({ PUSH_SIGNING_KEY: '{"d":"topsecret"}' })).toThrow(/PUSH_SIGNING_KEY: is not a JWK/);
    expect(() => readConfig({ PUSH_SIGNING_KEY: '{"d":"topsecret"}' })).not.toThrow(/topsecret/);
  });

  it('leave time to copy a task before Redis forgets it; an address that is none is refused without its password', () => {
    const ARCHIVE_URL = 'postgres://me:topsecret@127.0.0.1/tasks';
    expect(readConfig({ ARCHIVE_URL }).worker.archive).toEqual({ afterMs: 60_000, retentionMs: 0 });
    expect(() => readConfig({ ARCHIVE_URL, RETENTION_MS: '89999' })).toThrow(
      /RETENTION_MS: must be ARCHIVE_AFTER_MS and 30000 at least/,
    );
    expect(() => readConfig({ ARCHIVE_URL, RETENTION_MS: '100000', ARCHIVE_RETENTION_MS: '99999' })).toThrow(
      /ARCHIVE_RETENTION_MS: must be 0, or RETENTION_MS at least/,
    );
    readConfig({ ARCHIVE_URL, RETENTION_MS: '100000', ARCHIVE_RETENTION_MS: '100000' });
    expect(() => readConfig({ ARCHIVE_URL: 'mysql://me:topsecret@host/tasks' })).toThrow(/ARCHIVE_URL.*PostgreSQL/);
    expect(() => readConfig({ ARCHIVE_URL: 'mysql://me:topsecret@host/tasks' })).not.toThrow(/topsecret/);
  });
});

describe('the command line of a worker', () => {
  it('accepts agent modules before and after other options', () => {
    expect(readArguments(['--agents', '/a.ts', '/b.ts', '--watch', '--agents', '/c.ts'], {})).toEqual({
      agentModules: ['/a.ts', '/c.ts', '/b.ts'],
      isForMaintenance: false,
      watch: true,
      isWatched: false,
      isList: false,
    });
  });

  it('resolves modules in the folder where npm was called (INIT_CWD), then in the current folder', () => {
    const { agentModules } = Object(readArguments(['agent.ts', 'package.json'], { INIT_CWD: 'examples/hello' }));
    expect(agentModules).toEqual([`${process.cwd()}/examples/hello/agent.ts`, expect.stringMatching(/package.json$/)]);
  });

  it('expands glob patterns that the shell has not expanded, and keeps those that match nothing', () => {
    const { agentModules } = Object(readArguments(['--agents', 'examples/{pi,h}*/agent.ts', 'examples/no*.ts'], {}));
    const found = ['hello', 'ping-pong', 'pizza'].map((name) => `${process.cwd()}/examples/${name}/agent.ts`);
    expect(agentModules).toEqual([...found, `${process.cwd()}/examples/no*.ts`]);
  });

  it('with an unknown option is refused; the error names a similar one', () => {
    expect(() => readArguments(['--agent', 'a.ts'], {})).toThrow(
      /^Unknown option '--agent' \(did you mean --agents\?\)$/,
    );
  });
});
