import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, type GuardedProcess, spawnGuarded } from '@switchyard/local';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openEventStream } from '../support/event-stream.ts';
import { hasProgram } from '../support/has-program.ts';
import { userMessage } from '../support/messages.ts';
import { uniquePrefix } from '../support/prefix.ts';
import { type Program, startProgram } from '../support/process.ts';
import { startRedis, type TestRedis } from '../support/redis.ts';
import { get, send } from '../support/rest.ts';
import { until } from '../support/until.ts';
import { type NameServer, startNameServer } from './support/name-server.ts';

// The load balancer of docker-compose.yml with its own configuration, except ports and the name server.

const reason = hasProgram('haproxy', '-v') ? undefined : 'haproxy is missing';
const addresses = ['127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.5', '127.0.0.6'];

describe.skipIf(reason)(`The load balancer${reason ? ` (${reason})` : ''}`, () => {
  let folder: string;
  let redis: TestRedis;
  let names: NameServer;
  let haproxy: GuardedProcess;
  let log = '';
  let url: string;
  let settings: Readonly<Record<string, string>>;
  const ports = { http: 0, grpc: 0, gateway: 0, gatewayGrpc: 0 };
  const programs = new Map<string, Program>();

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'switchyard-balancer-'));
    redis = await startRedis();
    names = await startNameServer(addresses);
    for (const name of ['http', 'grpc', 'gateway', 'gatewayGrpc'] as const) ports[name] = await freePort();
    url = `http://127.0.0.1:${ports.http}/agents/typist`;
    settings = { REDIS_URL: redis.url, KEY_PREFIX: uniquePrefix(), DRAIN_MS: '0' };
    const worker = { file: 'apps/worker/src/main.ts', args: ['tests/support/agents/typist.ts'], env: settings };
    programs.set('worker', await startProgram(worker));
    await Promise.all(addresses.map(startGateway));
    await startHaproxy();
    const isServed = () =>
      get<{ agents: unknown[] }>(`${url}/../../agents`).then(
        ({ status, body }) => status === 200 && body.agents.length > 0,
        () => false,
      );
    await until(async () => (await isServed()) && up() === addresses.length, {
      what: 'all gateways are used',
      timeoutMs: 60_000,
    });
  });

  afterAll(async () => {
    await haproxy?.stop();
    await Promise.all([...programs.values()].map((program) => program.stop()));
    await names?.[Symbol.asyncDispose]();
    await redis?.stop();
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  async function startGateway(address: string): Promise<void> {
    const env = {
      ...settings,
      HOST: address,
      PORT: String(ports.gateway),
      GRPC_PORT: String(ports.gatewayGrpc),
      GRPC_PUBLIC_ADDRESS: `127.0.0.1:${ports.grpc}`,
      TRUST_PROXY: 'true',
    };
    const gateway = await startProgram({ file: 'apps/gateway/src/main.ts', env });
    programs.set(address, gateway);
    await gateway.waitFor(/"msg":"listening"/, 60_000);
  }

  async function startHaproxy(): Promise<void> {
    const text = await readFile('deploy/haproxy.cfg', 'utf8');
    const own = text
      .replace('parse-resolv-conf', `nameserver dns 127.0.0.1:${names.port}`)
      .replace('bind :4000', `bind 127.0.0.1:${ports.http}`)
      .replace('bind :4001', `bind 127.0.0.1:${ports.grpc}`)
      .replaceAll(/(gateway:|connect port )4000/g, `$1${ports.gateway}`)
      .replace('gateway:4001', `gateway:${ports.gatewayGrpc}`);
    const file = join(folder, 'haproxy.cfg');
    await writeFile(file, own);
    haproxy = await spawnGuarded('haproxy', ['-db', '-f', file]);
    for (const stream of [haproxy.stdout, haproxy.stderr])
      stream.setEncoding('utf8').on('data', (more: string) => {
        log += more;
      });
  }

  /** Number of gateways that the log reports as UP. */
  function up(): number {
    const named = log.matchAll(/Server gateways\/(gateway\d+) .*?is (UP|DOWN|going DOWN)/g);
    const states = new Map(Array.from(named, ([, name = '', state = '']) => [name, state]));
    return [...states.values()].filter((state) => state === 'UP').length;
  }

  const usedBy = (backend: string): Set<string> =>
    new Set(Array.from(log.matchAll(new RegExp(` ${backend}/(gateway\\d+) `, 'g')), ([, name = '']) => name));

  it('uses all five gateways', async () => {
    await Promise.all(Array.from({ length: 50 }, () => send(url, userMessage('1'))));
    await until(() => usedBy('gateways').size === addresses.length, { what: 'each has answered' });
  });

  it('streams without buffering, and has a backend for gRPC calls', async () => {
    const stream = await openEventStream(`${url}/message:stream`, {
      method: 'POST',
      body: { message: userMessage('100') },
    });
    const times: number[] = [];
    for await (const _event of stream) times.push(performance.now());
    expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThan(500);
    const asked = Array.from({ length: 6 }, async () => {
      const args = ['send', '3', '--stream', '--agent-card', url, '--transport', 'grpc'];
      const client = await startProgram({ file: 'apps/cli/src/main.ts', args });
      return { code: await client.exited, output: client.output() };
    });
    for (const { code, output } of await Promise.all(asked))
      expect([code, output]).toEqual([0, expect.stringContaining('Done')]);
    await until(() => usedBy('grpc-gateways').size > 1, { what: 'more than one has answered' });
  });

  it('loses no request when a gateway is killed', async () => {
    const all = Array.from({ length: 10 }, async () => {
      for (let i = 0; i < 20; i++) await send(url, userMessage('1'));
    });
    await until(() => log.split('POST').length > 80, { what: 'they run' });
    programs.get('127.0.0.4')?.kill('SIGKILL');
    await Promise.all(all);
    await until(() => up() === addresses.length - 1, { what: 'the load balancer removes it', timeoutMs: 20_000 });
  });

  it('discovers a new gateway, and removes one that is gone', async () => {
    await startGateway('127.0.0.7');
    names.addresses = ['127.0.0.2', '127.0.0.3', '127.0.0.7'];
    await until(() => log.includes('127.0.0.7') && up() === 3, { what: 'three gateways are up', timeoutMs: 30_000 });
    expect((await send(url, userMessage('1'))).status.state).toBe('TASK_STATE_COMPLETED');
  });
});
