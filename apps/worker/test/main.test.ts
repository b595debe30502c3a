import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { userMessage } from '../../../tests/support/messages.ts';
import { uniquePrefix } from '../../../tests/support/prefix.ts';
import { type Program, startProgram } from '../../../tests/support/process.ts';
import { post } from '../../../tests/support/rest.ts';

describe('the worker as a process', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'switchyard-worker-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  function start(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Program> {
    const settings = { REDIS_URL: inject('redisUrl'), KEY_PREFIX: uniquePrefix(), ...env };
    return startProgram({ file: 'apps/worker/src/main.ts', args, env: settings });
  }

  it('finds agents in the folder where npm was called, ignores empty variables and names unknown ones', async () => {
    const npm = { INIT_CWD: `${process.cwd()}/examples/hello` };
    const empty = { METRICS_PORT: '', PUSH: '', WAIT_REPLICAS: '' };
    const worker = await start(['--agents', 'agent.ts'], { ...npm, ...empty, MAX_ATEMPTS: '5' });
    await worker.waitFor(/"agents":\["hello"\]/);
    await worker.waitFor(/MAX_ATEMPTS is not a setting of Switchyard; did you mean MAX_ATTEMPTS\?/);
    expect(worker.output()).not.toContain('measuring');
    expect(await worker.stop()).toBe(0);
  });

  it('exits at once on SIGTERM while it is still loading its agents', async () => {
    const code = `process.stdout.write('loading'); await new Promise((loaded) => setTimeout(loaded, 60_000));`;
    await writeFile(join(folder, 'agent.ts'), code);
    const worker = await start([join(folder, 'agent.ts')]);
    await worker.waitFor(/loading/);
    worker.kill('SIGTERM');
    expect(await worker.exited).toBe(0);
  });

  it('with WAIT_REPLICAS waits for replicas when an agent calls another agent', async () => {
    const env = { REDIS_URL: inject('redisUrl'), KEY_PREFIX: uniquePrefix() };
    const gateway = await startProgram({
      file: 'apps/gateway/src/main.ts',
      env: { ...env, PORT: '0', GRPC_PORT: 'off' },
    });
    const modules = ['tests/support/agents/caller.ts', 'examples/echo/agent.ts'];
    const worker = await start(['--agents', ...modules], { ...env, WAIT_REPLICAS: '1' });
    const [, url = ''] = await gateway.waitFor(/"url":"([^"]+)"/);
    await gateway.waitFor(/"agents":\["caller","echo"\]/);
    const configuration = { returnImmediately: true };
    await post(`${url}/agents/caller/message:send`, {
      message: userMessage('Go'),
      metadata: { agent: 'echo' },
      configuration,
    });
    await worker.waitFor(/0 of 1 replicas have confirmed the write/);
    await Promise.all([worker.stop(), gateway.stop()]);
  });

  it('with --maintenance runs no agent, but delivers webhooks for tasks that other workers ran', async () => {
    const delivered = Promise.withResolvers<string | undefined>();
    const receiver = createServer((req, res) => {
      delivered.resolve(req.url);
      res.end();
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    const shared = { REDIS_URL: inject('redisUrl'), KEY_PREFIX: uniquePrefix() };
    const env = { ...shared, PUSH_ALLOW_HTTP: 'on', PUSH_ALLOW_HOSTS: '127.0.0.1' };
    const gateway = await startProgram({
      file: 'apps/gateway/src/main.ts',
      env: { ...env, PORT: '0', GRPC_PORT: 'off' },
    });
    const worker = await start(['--agents', 'examples/echo/agent.ts'], { ...env, PUSH: 'off' });
    const maintenance = await start(['--maintenance'], env);
    await maintenance.waitFor(/"event":"started".*"agents":\[\]|"agents":\[\].*"event":"started"/);
    const [, url = ''] = await gateway.waitFor(/"url":"([^"]+)"/);
    await gateway.waitFor(/"agents":\["echo"\]/);
    const webhookUrl = `http://127.0.0.1:${Object(receiver.address()).port}/webhook`;
    await post(`${url}/agents/echo/message:send`, {
      message: userMessage('Hello'),
      configuration: { taskPushNotificationConfig: { url: webhookUrl } },
    });
    expect(await delivered.promise).toBe('/webhook');
    expect(await Promise.all([worker.stop(), maintenance.stop(), gateway.stop()])).toEqual([0, 0, 0]);
    receiver.close();
  });

  it('with --help prints its options and settings, and exits', async () => {
    const worker = await start(['--help']);
    expect(await worker.exited).toBe(0);
    expect(worker.output()).toMatch(/switchyard worker .*<module>[\s\S]*\n {2}MAX_ATTEMPTS\n.*\n.*default: 3/);
  });

  it('exits with an error that names file, line and column if an agent cannot be loaded', async () => {
    const agent = join(folder, 'agent.ts');
    await writeFile(agent, 'const agent = ;');
    const worker = await start(['--agents', agent]);
    expect(await worker.exited).toBe(1);
    expect(worker.output()).toContain(
      `Error: SWITCHYARD_ERR_AGENT\nReason: The agent module ${agent} cannot be loaded:\n  ${agent}:1:15: Expression expected`,
    );
    expect(worker.output()).not.toContain('    at ');
  });

  it('exits with an error if it is given a folder instead of a module', async () => {
    const worker = await start(['--agents', folder]);
    expect(await worker.exited).toBe(1);
    expect(worker.output()).toContain(`Reason: ${folder} is a folder: name the file of an agent in it.`);
  });

  it('says of what is neither a file nor an address how an address begins', async () => {
    const worker = await startProgram({ file: 'apps/worker/src/main.ts', args: ['agents.example.com/pizza'] });
    expect(await worker.exited).toBe(1);
    expect(worker.output()).toMatch(/There is no module \S+: name the file of an agent, or its address, which begins/);
  });

  it('exits with an error if a module ends the process, or waits for what never comes', async () => {
    for (const [code, error] of [
      ['\n  process.exit(0);\n', /agent\.ts:2:11: it calls process\.exit\(0\)/],
      ['await new Promise(() => undefined);\n', /A module of an agent waits at its top level for something that never/],
    ] as const) {
      await writeFile(join(folder, 'agent.ts'), code);
      const worker = await start(['--list', join(folder, 'agent.ts')]);
      expect(await worker.exited).toBe(1);
      expect(worker.output()).toMatch(error);
    }
  });

  it('names the position of each kind of error, also for several modules loaded in one process', async () => {
    const wrong: readonly [code: string, error: RegExp][] = [
      ['const a = 1;\n\n  const agent = ;\n', /0\.ts:3:17: Expression expected$/],
      ['export const a = 1;\nnothing.there();', /1\.ts:2:1: nothing is not defined$/],
      ["import { a } from './nowhere.ts';", /2\.ts:1:19: Cannot find module '.*nowhere\.ts'/],
      [
        "import 'no-such-package/deep';",
        /3\.ts:1:8: Cannot find package 'no-such-package' .*: npm install no-such-package$/,
      ],
      ["import { nothing } from 'node:fs';", /4\.ts:1:10: .*does not provide an export named 'nothing'$/],
      ['const a = 1;\nexport default {', /5\.ts:2: Unexpected token/],
      ['throw null;', /\n {2}it threw what is no Error: null$/],
      ["export default await import('node:fs').then(({ nothing }) => nothing.there);", /7\.ts:1:\d+: Cannot read/],
      ["throw new Error('connect ECONNREFUSED 127.0.0.1:6379');", /8\.ts:1:7: connect ECONNREFUSED 127\.0\.0\.1:6379$/],
      ["import '@none/such/deep';", /9\.ts:1:8: .*: npm install @none\/such$/],
    ];
    const files = wrong.map((_, i) => join(folder, `${i}.ts`));
    await Promise.all(wrong.map(([code], i) => writeFile(files[i] ?? '', code)));
    const loader = await startProgram({ file: 'apps/worker/test/fixtures/load-each.ts', args: files });
    expect(await loader.exited).toBe(0);
    const problems: string[] = JSON.parse(loader.output());
    expect(problems).toEqual(wrong.map(([, error]) => expect.stringMatching(error)));
  });
});
