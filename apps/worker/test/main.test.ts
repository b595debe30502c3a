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

  async function refusalOf(code: string): Promise<string> {
    await writeFile(join(folder, 'agent.ts'), code);
    const worker = await start(['--agents', join(folder, 'agent.ts')]);
    expect(await worker.exited).toBe(1);
    return worker.output();
  }

  it('takes an empty variable for an unset one', async () => {
    const worker = await start(['--agents', 'examples/echo/agent.ts'], {
      METRICS_PORT: '',
      PUSH: '',
      WAIT_REPLICAS: '',
    });
    await worker.waitFor(/"event":"started"/);
    expect(worker.output()).not.toContain('measuring');
    expect(await worker.stop()).toBe(0);
  });

  it('ends at once on SIGTERM while its agents are loaded: it has no turn to give back', async () => {
    const code = `process.stdout.write('loading'); await new Promise((loaded) => setTimeout(loaded, 60_000));`;
    await writeFile(join(folder, 'agent.ts'), code);
    const worker = await start([join(folder, 'agent.ts')]);
    await worker.waitFor(/loading/);
    worker.kill('SIGTERM');
    expect(await worker.exited).toBe(0);
  });

  it('waits for replicas where an agent calls another, as a gateway does for its clients', async () => {
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

  it('with --maintenance runs no agent, and delivers to the webhooks of tasks that others ran', async () => {
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
    const at = `http://127.0.0.1:${Object(receiver.address()).port}/told`;
    await post(`${url}/agents/echo/message:send`, {
      message: userMessage('Tell me'),
      configuration: { taskPushNotificationConfig: { url: at } },
    });
    expect(await delivered.promise).toBe('/told');
    expect(await Promise.all([worker.stop(), maintenance.stop(), gateway.stop()])).toEqual([0, 0, 0]);
    receiver.close();
  });

  it('names a variable that is no setting but looks like one', async () => {
    const worker = await start(['--agents', 'examples/echo/agent.ts'], { MAX_ATEMPTS: '5' });
    await worker.waitFor(/MAX_ATEMPTS is not a setting of Switchyard; did you mean MAX_ATTEMPTS\?/);
    await worker.stop();
  });

  it('answers --help with its options and settings, and starts nothing', async () => {
    const worker = await start(['--help']);
    expect(await worker.exited).toBe(0);
    expect(worker.output()).toMatch(/switchyard worker .*<module>[\s\S]*\n {2}MAX_ATTEMPTS\n.*\n.*default: 3/);
  });

  it('finds agents from the folder where npm was called', async () => {
    const worker = await start(['--agents', 'agent.ts'], { INIT_CWD: `${process.cwd()}/examples/hello` });
    await worker.waitFor(/"agents":\["hello"\]/);
    await worker.stop();
  });

  it.each([
    ['const agent = ;', /agent\.ts:1:15: Expression expected/],
    ['export const a = 1;\nnothing.there();', /agent\.ts:2:1: nothing is not defined/],
    ["import { a } from './nowhere.ts';", /agent\.ts:1:19: Cannot find module '.*nowhere\.ts'/],
    ["import 'no-such-package/deep';", /agent\.ts:1:8: Cannot find package 'no-such-package'/],
    ["import { nothing } from 'node:fs';", /agent\.ts:1:10: .*does not provide an export named 'nothing'/],
  ])('names file, line and column where an agent cannot be loaded: %s', async (code, words) => {
    const said = await refusalOf(code);
    expect(said).toMatch(words);
    expect(said).not.toContain('    at ');
  });
});
