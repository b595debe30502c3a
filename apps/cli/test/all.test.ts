import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { descendantsOf, isAlive } from '../../../tests/support/descendants.ts';
import { userMessage } from '../../../tests/support/messages.ts';
import { uniquePrefix } from '../../../tests/support/prefix.ts';
import { type Program, startProgram } from '../../../tests/support/process.ts';
import { get, send } from '../../../tests/support/rest.ts';
import { until } from '../../../tests/support/until.ts';

const cli = fileURLToPath(new URL('../src/main.ts', import.meta.url));

describe('switchyard all', { timeout: 60_000 }, () => {
  let program: Program | undefined;

  afterEach(() => program?.stop());

  async function all(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
    const settings = { REDIS_URL: inject('redisUrl'), KEY_PREFIX: uniquePrefix(), PORT: '0', GRPC_PORT: 'off', ...env };
    program = await startProgram({ file: cli, args: ['all', ...args], env: settings });
    const [, url = ''] = await program.waitFor(/"url":"(http[^"]+)","msg":"listening"/, 30_000);
    await until(async () => (await get<{ agents: unknown[] }>(`${url}/agents`)).body.agents.length > 0, {
      what: 'the gateway knows the agent',
      timeoutMs: 30_000,
    });
    return url;
  }

  it('runs two workers beside the gateway, of which one has the port for metrics, and starts again what dies', async () => {
    const url = await all(['examples/echo/agent.ts', '--workers', '2'], { METRICS_PORT: '0', DRAIN_MS: '0' });
    const children = descendantsOf(program?.pid ?? 0);
    expect(children).toHaveLength(3);
    await program?.waitFor(/"event":"started"[\s\S]*"event":"started"/, 30_000);
    expect(program?.output().match(/"event":"measuring"/g)).toHaveLength(1);
    const [worker] = children.filter(({ command }) => command.includes('worker'));
    process.kill(worker?.pid ?? 0, 'SIGKILL');
    await program?.waitFor(/worker \d ended unexpectedly/);
    expect((await send(url, userMessage('hello'))).status.state).toBe('TASK_STATE_COMPLETED');
    expect(await program?.stop(20_000)).toBe(0);
  });

  it('leaves nothing behind when it is killed', async () => {
    await all(['examples/echo/agent.ts'], { DRAIN_MS: '0' });
    const children = descendantsOf(program?.pid ?? 0);
    program?.kill('SIGKILL');
    await until(() => children.every(({ pid }) => !isAlive(pid)), { what: 'all have ended', timeoutMs: 20_000 });
  });
});
