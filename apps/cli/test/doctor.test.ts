import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openIssuer } from '../../../tests/support/issuer.ts';
import { startRedis, type TestRedis } from '../../../tests/support/redis.ts';
import { agents, files, overview, workers } from '../../../tests/support/stand-in-answers.ts';
import { openStandInApi, type StandInApi } from '../../../tests/support/stand-in-api.ts';
import { patience, until } from '../../../tests/support/until.ts';
import { shardFindings } from '../src/operator/check-redis.ts';
import { json, run } from './support/run.ts';

// Commands for the upkeep of an installation: doctor, and those that start other programs.

let api: StandInApi;
let redis: TestRedis;
let env: Record<string, string>;

beforeAll(async () => {
  api = await openStandInApi({ tasks: 1 });
  redis = await startRedis({ appendOnly: true });
  env = { SWITCHYARD_OPERATOR_URL: api.url, ADMIN_KEY: api.key, REDIS_URL: redis.url };
});

afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await redis.stop();
});

const nobody = ['--agent-card', 'http://127.0.0.1:49999'];

describe('switchyard doctor', () => {
  it('says which masters of a Cluster have no shard', () => {
    const on = (...counts: number[]) => shardFindings(counts.map((shards) => ({ shards })));
    expect(on(4)).toEqual([]);
    expect(on(3, 1)).toMatchObject([{ verdict: 'ok', text: '4 shards on 2 masters: 3, 1' }]);
    const [few] = on(1, 0, 1);
    expect(few).toMatchObject({ verdict: 'warning', text: '2 shards on 3 masters: 1, 0, 1; 1 of them has no tasks' });
    expect(few?.todo).toContain('docs/deployments.md');
    expect(on(4, 0)[0]?.todo).toContain('Move slots');
  });

  it('reports what is well, what is not, and what to do', async () => {
    const { out, err, code } = await run(['doctor', ...nobody], { env });
    expect([code, err]).toEqual([1, '']);
    expect(out).toMatch(/^Ok: Node \d+/);
    expect(out).toMatch(/^Ok: (?:Redis|Valkey) \d\S* at \S+, \d+ MiB used(?: of \d+)?, [\d.]+ ms away$/m);
    expect(out).toMatch(/^Problem: No answer from http:\/\/127\.0\.0\.1:49999: .*\nDo: switchyard up/m);
    expect(out).toContain(`Ok: The operators' port answers at ${api.url}\n`);
    expect(out).toMatch(/^Problem: No worker runs the agent \S+.*\nDo: switchyard worker <module of/m);
    expect(out).toContain('Warning: The gateway serves no console\n');
    expect(out).toContain('Ok: The agent reviewer has 2 workers, 1 message waits\n');
    expect(out).toMatch(/^Ok: 5 tasks wait for their clients, the first one since \d{4}-/m);
    expect(out).toContain('Ok: Gateway and workers run version 0.1.0\n');
    expect(out).toContain('Ok: The archive has 12345 tasks (33 MiB), the oldest of 2026-02-01\n');
    expect(out).toContain('Warning: 2 ended tasks could not be copied to the archive: t7, t3\nDo: Save what you need');
  });

  it('says whether the keys of the token issuer can be read', async () => {
    await using issuer = await openIssuer();
    const lines = async (more: Record<string, string> = {}): Promise<string | undefined> => {
      const { out } = await run(['doctor', ...nobody], { env: { ...env, JWT_ISSUER: issuer.url, ...more } });
      return out.match(/^.*token issuer.*\n(?:Do: .*)?/m)?.[0];
    };
    expect(await lines()).toContain(`Ok: The token issuer ${issuer.url} publishes 1 key\n`);
    issuer.published.splice(0);
    expect(await lines()).toMatch(/^Problem: .* publishes no key for signatures: .*\nDo: Let the issuer publish/);
    issuer.breakDown(true);
    expect(await lines()).toContain(`${issuer.url}/.well-known/openid-configuration cannot be read: it answered with`);
    expect(await lines({ JWT_JWKS_URL: `${issuer.url}/keys` })).toContain(`${issuer.url}/keys cannot be read`);
    expect(await lines({ JWT_ISSUER: '' })).toBeUndefined();
  });

  it('says where files are stored, that they cannot be, and that their volume is nearly full', async () => {
    const { out } = await run(['doctor', ...nobody], { env });
    expect(out).toContain(
      'Ok: Files are in /var/lib/switchyard/files, encrypted; 1234 (33 MiB) at 2026-11-29T12:00Z; its volume is 43 % full\n',
    );
    const problem = "EACCES: permission denied, mkdir '/srv/files/.probe-1'";
    api.answer('/admin/files', { files: { place: '/srv/files', isEncrypted: false, problem } });
    const full = { limit: 'file-volume', setting: 'FILES_URL', of: 'the volume with the files', used: 95, max: 100 };
    api.answer('/admin/overview', { ...overview, limits: [full] });
    const { out: bad } = await run(['doctor', ...nobody], { env });
    expect(bad).toContain('Ok: Files are in /srv/files\n');
    expect(bad).toContain(`Problem: The gateway cannot store files: ${problem}\nDo: `);
    expect(bad).toContain('Warning: The volume with the files is 95 % full\nDo: Enlarge it');
    api.answer('/admin/files', {});
    api.answer('/admin/overview', overview);
    expect((await run(['doctor', ...nobody], { env })).out).not.toContain('Files');
    api.answer('/admin/files', { files });
  });

  it('reports a Redis that may evict tasks, has no append-only file, or wastes memory', async () => {
    const client = new Redis(redis.url);
    await client.config('SET', 'maxmemory-policy', 'allkeys-lru');
    await client.config('SET', 'hash-max-listpack-value', 64);
    await client.config('SET', 'stream-node-max-bytes', 4096);
    await client.config('SET', 'appendonly', 'no');
    client.disconnect();
    const { out } = await run(['doctor', ...nobody], { env });
    expect(out).toContain('Problem: Redis may evict tasks: its maxmemory-policy is allkeys-lru\n');
    expect(out).toContain('Do: CONFIG SET hash-max-listpack-value 1024');
    expect(out).toContain('Each task uses 3072 bytes more than necessary: stream-node-max-bytes is 4096\n');
    expect(out).toContain('Warning: Redis has no append-only file');
  });

  it('reports a Redis that cannot write its files, as when its disk is full, and so refuses messages', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'switchyard-unwritten-'));
    await mkdir(join(folder, 'dump.rdb/in-its-way'), { recursive: true });
    const unwritten = await startRedis({ appendOnly: true, folder });
    const client = new Redis(unwritten.url);
    await client.bgsave();
    await until(async () => /rdb_last_bgsave_status:err/.test(await client.info('persistence')), { what: 'it fails' });
    const doctor = () => run(['doctor', ...nobody], { env: { ...env, REDIS_URL: unwritten.url } });
    const words = 'Problem: Redis could not write its snapshot, and refuses messages until it can';
    // It needs none, and goes on taking writes.
    expect((await doctor()).out).not.toContain(words);
    await client.config('SET', 'save', '3600 1');
    client.disconnect();
    const { code, out } = await doctor();
    await unwritten.stop();
    await rm(folder, { recursive: true });
    expect(code).toBe(1);
    expect(out).toContain(words);
  });

  it('says which proxy is used for what, without its password, and whether it answers', async () => {
    const { port } = new URL(redis.url);
    const proxies = {
      HTTPS_PROXY: 'http://ada:s3cret@127.0.0.1:1',
      HTTP_PROXY: `127.0.0.1:${port}`,
      NO_PROXY: '.test',
    };
    const { out } = await run(['doctor', ...nobody], { env: { ...env, ...proxies } });
    const except = 'except loopback addresses and .test';
    expect(out).toContain(
      `Problem: The proxy http://127.0.0.1:1, for https: URLs, ${except}, cannot be reached: ECONNREFUSED\nDo: Correct HTTPS_PROXY`,
    );
    expect(out).toContain(`Ok: The proxy http://127.0.0.1:${port} is used for http: URLs, ${except}\n`);
    expect(out).not.toContain('s3cret');
    const wrong = await run(['doctor', ...nobody], { env: { ...env, HTTPS_PROXY: 'socks5://a' } });
    expect(wrong.out).toContain('Problem: HTTPS_PROXY must be the address of an HTTP proxy');
  });

  it.each([
    [{ PORT: '65500' }, /Port 65500 .*\n(?:Do: .*\n)?.*Port 65400 /],
    [{ PORT: 'abc' }, /Problem: .*PORT: must be a whole number from 0 to 65535\n/],
  ])('has a finding for %j', async (given, words) => {
    expect((await run(['doctor', ...nobody], { env: { ...env, ...given } })).out).toMatch(words);
  });

  it('names the program that uses a port of the gateway', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const { out } = await run(['doctor', ...nobody], { env: { ...env, PORT: String(port) } });
    server.close();
    // Only Linux tells which process uses a port.
    const holder = process.platform === 'linux' ? `.+ \\(process ${process.pid}\\)` : 'another program';
    expect(out).toMatch(
      new RegExp(`^Warning: Port ${port} is in use by ${holder}: a gateway cannot listen on it\nDo: .*PORT`, 'm'),
    );
    expect(out).toContain(`Ok: Port ${port + 100} is free\n`);
  });

  it('looks for it at the HOST of the gateway', async () => {
    const server = createServer().listen(0, '127.0.0.2');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const { out } = await run(['doctor', ...nobody], { env: { ...env, PORT: String(port), HOST: '127.0.0.2' } });
    server.close();
    expect(out).toContain(`Warning: Port ${port} is in use by `);
  });

  it('says since when no worker of an agent has answered, which is not that it has none', async () => {
    const silentSince = '2026-01-31T12:00:00.000Z';
    const some = agents.map((each) => (each.id === 'reviewer' ? { ...each, silentSince } : each));
    api.answer('/admin/agents', { agents: some, totalSize: some.length, nextPageToken: '' });
    const { out } = await run(['doctor', ...nobody], { env });
    expect(out).toMatch(
      new RegExp(
        `Problem: No worker of the agent reviewer has answered since ${silentSince}: frozen, .*\nDo: The worker's log`,
      ),
    );
  });

  it.each([
    ['bad-card', 'has no card that can be used', 'bad card'],
    ['unreachable', 'does not answer', 'unreachable'],
  ])('says that a remote agent cannot be used, and why, as the list of queues does: %s', async (kind, what, state) => {
    const text = 'The card of the remote agent at https://agents.example.com/almanac: HTTP 503.';
    const remoteProblem = { kind, text, worker: 'w1' };
    const some = agents.map((each) => (each.id === 'pizza' ? { ...each, remoteProblem } : each));
    api.answer('/admin/agents', { agents: some, totalSize: some.length, nextPageToken: '' });
    const { out } = await run(['doctor', ...nobody], { env });
    expect(out).toContain(`Problem: The remote agent pizza ${what}, as worker w1 says: ${text.slice(0, -1)}`);
    expect((await run(['queue'], { env })).out).toMatch(new RegExp(`^pizza +${state} `, 'm'));
  });

  it('reports gateways and workers of different versions', async () => {
    const [first, ...others] = workers;
    const some = [{ ...first, version: '0.2.0' }, ...others];
    api.answer('/admin/workers', { workers: some, totalSize: some.length, nextPageToken: '' });
    const { out } = await run(['doctor', ...nobody], { env });
    expect(out).toContain(`Warning: Different versions are running: gateway 0.1.0, worker ${first?.id} 0.2.0, worker`);
  });

  it('reports the schema version, pending migrations, and a schema of a later release', async () => {
    const client = new Redis(redis.url);
    const look = async () => (await run(['doctor', ...nobody], { env })).out;
    try {
      expect(await look()).toContain('Ok: No Switchyard has used this Redis yet\n');
      await client.hset('sw{agents}:schema', { version: 2, oldest: 1, migrated: 1, release: 'Switchyard 0.2.0' });
      expect(await look()).toContain('migrated up to schema version 1 only\nDo: Run a worker of this release');
      await client.zadd('sw{agents}:schema:programs', Date.now() + 60_000, '0 old-worker');
      expect(await look()).toContain('migrated up to schema version 1 only\nDo: Replace these first: old-worker\n');
      await client.del('sw{agents}:schema:programs');
      await client.hset('sw{agents}:schema', { migrated: 2 });
      expect(await look()).toContain(
        'Ok: Schema version 2, written by Switchyard 0.2.0, for programs of schema version 1 or later; 0 running\n',
      );
      await client.hset('sw{agents}:schema', { version: 9, oldest: 8, release: 'Switchyard 9.0.0' });
      expect(await look()).toMatch(/^Problem: Switchyard 9\.0\.0 took this Redis over/m);
    } finally {
      await client.del('sw{agents}:shards', 'sw{agents}:schema', 'sw{agents}:schema:programs');
      client.disconnect();
    }
  });

  // These two wait for seconds, so they run at once.
  it.concurrent('ends within ten seconds, and says what did not answer, whatever hangs', async () => {
    const silent = createServer((socket) => socket.on('error', () => undefined)).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const hanging = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const part = await openStandInApi({ tasks: 1 });
    for (const path of ['/admin/files', '/admin/archive', '/admin/overview']) part.hang(path);
    const given = { ...env, REDIS_URL: hanging.replace('http', 'redis') };
    const begun = performance.now();
    const [all, some] = await Promise.all([
      run(['doctor', '--agent-card', hanging], { env: { ...given, SWITCHYARD_OPERATOR_URL: hanging } }),
      run(['doctor', ...nobody], { env: { ...env, SWITCHYARD_OPERATOR_URL: part.url, ADMIN_KEY: part.key } }),
    ]);
    expect(performance.now() - begun).toBeLessThan(11_000 * patience);
    silent.close();
    await part[Symbol.asyncDispose]();
    expect(all.out).toMatch(/^Problem: Redis did not answer within \d+ s.*\nDo: Start Redis/m);
    expect(all.out).toMatch(/^Problem: The gateway did not answer within 9 s\nDo: See whether its process is frozen/m);
    expect(all.out).toMatch(/^Problem: The operators' port did not answer within 3 s\nDo: /m);
    expect(some.out).toMatch(/^Problem: The gateway, asked for agents and queues, did not answer within 6 s\nDo: /m);
    expect(some.out).toMatch(/^Problem: The archive did not answer within 6 s\nDo: See whether PostgreSQL/m);
    expect(some.out).toMatch(/^Problem: The place of the files did not answer within 6 s\nDo: .* FILES_URL/m);
    expect(some.out).toContain(`Ok: The operators' port answers at ${part.url}\n`);
  });

  it.concurrent('prints one JSON document, also if nothing is configured or reachable, or Redis is frozen', async () => {
    const frozen = await startRedis();
    const client = new Redis(frozen.url);
    await client.client('PAUSE', 60_000);
    client.disconnect();
    const [{ document, code }, { out: ofFrozen }, keys, keysOfNone] = await Promise.all([
      json(['doctor', ...nobody], { env: { REDIS_URL: 'redis://127.0.0.1:1' } }),
      run(['doctor', ...nobody], { env: { REDIS_URL: frozen.url } }),
      run(['keys', 'list'], { env: { REDIS_URL: frozen.url } }),
      run(['keys', 'list'], { env: { REDIS_URL: 'redis://127.0.0.1:1' } }),
    ]);
    expect([keys.code, keys.err]).toEqual([1, expect.stringContaining('Redis did not answer within 5 s')]);
    expect([keysOfNone.code, keysOfNone.err]).toEqual([1, expect.stringContaining('SWITCHYARD_ERR_REDIS')]);
    await frozen.stop();
    expect(ofFrozen).toMatch(/^Problem: Redis did not answer within 5 s.*\nDo: Start Redis/m);
    expect([code, document.isWell]).toEqual([1, false]);
    const texts = document.findings.map(({ text }: { text: string }) => text).join('\n');
    expect(texts).toMatch(/Redis did not answer[\s\S]*Agents and queues were not checked: There is no operator's key/);
    const { out } = await run(['doctor', ...nobody]);
    expect(out).toContain('Warning: Redis was not checked');
  });
});

describe('programs of their own', () => {
  it.each([
    ['up', /switchyard up \[<agent\.ts> …\][\s\S]*\n {2}DATA_DIR\n/],
    ['all', /switchyard all \[<agent\.ts> …\][\s\S]*\n {2}REDIS_URL\n/],
    ['gateway', /switchyard gateway[\s\S]*\n {2}SEND_MODE\n/],
    ['worker', /switchyard worker[\s\S]*\n {2}MAX_ATTEMPTS\n/],
    ['test', /switchyard test agent.test.ts --watch/],
    ['load', /Load test of an A2A agent/],
  ])('%s has its own help', async (name, words) => {
    const { stdout } = await shell(`${process.execPath} apps/cli/src/main.ts ${name} --help`);
    expect(stdout).toMatch(words);
  });

  it('are in the list of commands', async () => {
    const { stdout } = await shell(`${process.execPath} apps/cli/src/main.ts --help`);
    for (const name of ['up', 'gateway', 'worker', 'all', 'test', 'load'])
      expect(stdout).toMatch(new RegExp(`^  ${name} `, 'm'));
  });
});

describe('switchyard completion', () => {
  it('completes commands and options in bash', async () => {
    const { out } = await run(['completion', 'bash']);
    const completed = async (...words: string[]) => {
      const line = words.map((word) => `'${word}'`).join(' ');
      const ask = `${out}\nCOMP_WORDS=(switchyard ${line}); COMP_CWORD=${words.length}; _switchyard; echo "\${COMPREPLY[@]}"`;
      return (await promisify(execFile)('bash', ['-c', ask])).stdout.trim();
    };
    expect(await completed('ta')).toBe('task');
    expect(await completed('task', 'push-config', 'cr')).toBe('create');
    expect(await completed('-o', 'json', 'send', '--media')).toBe('--media-type');
    expect(await completed('task', 'list', '--agent')).toBe('--agent-card');
    expect(await completed('queue', 'pause', '--agent')).toBe('');
    expect(await completed('up', '--')).toBe('--help');
  });

  it('supports zsh, and refuses an unknown shell', async () => {
    expect((await run(['completion', 'zsh'])).out).toContain('bashcompinit');
    expect((await run(['completion', 'tcsh'])).code).toBe(2);
  });
});

function shell(command: string): Promise<{ stdout: string }> {
  return promisify(execFile)('sh', ['-c', command]);
}
