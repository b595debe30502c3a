import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type Stack, startStack } from '../support/stack.ts';
import { goToolchainOf, type InstalledClient, install, output } from './support/toolchains.ts';

// The `a2a` command of the A2A project's SDK for Go, unmodified.

const toolchain = goToolchainOf('github.com/a2aproject/a2a-go/v2/cmd/a2a');

describe.skipIf(toolchain.missing)(
  `the a2a command${toolchain.missing ? ` (skipped: ${toolchain.missing})` : ''}`,
  () => {
    let a2a: InstalledClient;
    let stack: Stack;
    const url = (): string => stack.urls[0] ?? '';
    const grpcUrl = async (): Promise<string> => /GRPC +(\S+)/.exec(await output(a2a, 'discover', url()))?.[1] ?? '';

    beforeAll(async () => {
      a2a = await install('a2a-cli', toolchain);
      stack = await startStack({ redisUrl: inject('redisUrl'), agents: ['pizza'] });
    }, 1_500_000);

    afterAll(() => stack?.stop());

    it('shows the card', async () => {
      expect(await output(a2a, 'discover', url())).toMatch(/Pizza desk[\s\S]*JSONRPC[\s\S]*GRPC/);
    });

    it.each(['jsonrpc', 'rest', 'grpc'])('has a conversation over %s, and reads its task', async (transport) => {
      const way = ['--transport', transport, '--insecure'];
      // With --transport it uses the given address, without reading the card.
      const at = transport === 'grpc' ? await grpcUrl() : url();
      const asked = JSON.parse(await output(a2a, 'send', '-o', 'json', ...way, at, 'I want a pizza'));
      expect(asked.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
      const answered = await output(a2a, 'send', '--stream', ...way, '--task', asked.id, at, 'Funghi');
      expect(answered).toContain('[status] completed: Your Funghi pizza is on its way.');
      const got = JSON.parse(await output(a2a, 'get', 'task', '-o', 'json', ...way, at, asked.id));
      expect(got).toMatchObject({ id: asked.id, status: { state: 'TASK_STATE_COMPLETED' } });
      expect(await output(a2a, 'list', 'tasks', ...way, at)).toContain(asked.id);
    });

    it('reports errors', async () => {
      await expect(output(a2a, 'get', 'task', url(), 'none')).rejects.toThrow('The task does not exist');
    });
  },
);
