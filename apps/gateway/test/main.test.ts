import { describe, expect, inject, it } from 'vitest';
import { uniquePrefix } from '../../../tests/support/prefix.ts';
import { type Program, startProgram } from '../../../tests/support/process.ts';
import { get } from './support/client.ts';

const start = (env: Record<string, string> = {}): Promise<Program> =>
  startProgram({
    file: 'apps/gateway/src/main.ts',
    env: { REDIS_URL: inject('redisUrl'), KEY_PREFIX: uniquePrefix(), PORT: '0', ...env },
  });

describe('the gateway as a process', () => {
  it('logs its address, and exits with 0 on SIGTERM', async () => {
    const gateway = await start();
    const [, url = ''] = await gateway.waitFor(/"url":"([^"]+)"/);
    expect((await get(`${url}/readyz`)).status).toBe(200);
    gateway.kill('SIGTERM');
    expect(await gateway.exited).toBe(0);
    expect(gateway.output()).toContain('"msg":"stopped"');
  });

  it('exits on SIGTERM while it waits for Redis', async () => {
    const gateway = await start({ REDIS_URL: 'redis://127.0.0.1:1' });
    await gateway.waitFor(/ECONNREFUSED/);
    gateway.kill('SIGTERM');
    expect(await gateway.exited).toBe(0);
    expect(gateway.output()).not.toContain('Redis did not answer');
  });

  it('names wrong settings and exits', async () => {
    const gateway = await start({ PORT: 'eighty', HOST: '0.0.0.0' });
    expect(await gateway.exited).toBe(2);
    expect(gateway.output()).toMatch(
      /^Error: A2ACLI_ERR_USAGE\nReason: [\s\S]*PORT: [\s\S]*HOST: [\s\S]*\nHint: switchyard gateway --help/,
    );
    expect(gateway.output()).not.toContain('    at ');
  });

  it('names the port when it is in use', async () => {
    const first = await start();
    const [, port = ''] = await first.waitFor(/"url":"http:\/\/127\.0\.0\.1:(\d+)"/);
    const second = await start({ PORT: port, GRPC_PORT: 'off' }); // the next port may be used by another test
    expect(await second.exited).toBe(1);
    expect(second.output()).toMatch(
      new RegExp(`EADDRINUSE: address already in use 127\\.0\\.0\\.1:${port}\\nHint: .*PORT`),
    );
    await first.stop();
  });
});
