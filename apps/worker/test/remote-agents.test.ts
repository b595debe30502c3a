import { executeTurn } from '@switchyard/agent/runtime';
import { MemoryPort } from '@switchyard/agent/testing';
import { remoteExecutor } from '@switchyard/executor-remote';
import { Ops } from '@switchyard/operators';
import type { Message } from '@switchyard/protocol';
import { remoteAgentId, Store } from '@switchyard/store';
import { describe, expect, inject, test } from 'vitest';
import { agentThat } from '../../../tests/support/agent-that.ts';
import { uniquePrefix } from '../../../tests/support/prefix.ts';
import { RawServer } from '../../../tests/support/raw-server.ts';
import { until } from '../../../tests/support/until.ts';
import { remoteAgents } from '../src/agents/remote-agents.ts';
import { readConfig } from '../src/config.ts';
import { Worker } from '../src/index.ts';

const noCard = 'HTTP/1.1 404 Nothing\r\nContent-Length: 0\r\n\r\n';

async function connectionsAfterCall(settings: Record<string, string>): Promise<number> {
  const { calls } = readConfig(settings).worker;
  // The turn would wait for an agent without a card: cancel it after the first connection.
  await using server = await new RawServer((socket) => {
    socket.end(noCard);
    port.interrupt('canceled');
  }, '127.0.0.1').start();
  const port = new MemoryPort({ message: 'Hello', agent: remoteAgentId(`${server.url}card`) });
  if (calls) await executeTurn(remoteAgents(calls), port);
  return server.connections;
}

describe('an agent that is called by URL', () => {
  test('is not called at a private address, nor without TLS', async () => {
    expect(await connectionsAfterCall({})).toBe(0);
    expect(await connectionsAfterCall({ AGENT_ALLOW_HTTP: 'true' })).toBe(0);
    expect(await connectionsAfterCall({ AGENT_ALLOW_HOSTS: '127.0.0.1' })).toBe(0);
  });

  test('is called at a private address without TLS if the settings allow both', async () => {
    expect(await connectionsAfterCall({ AGENT_ALLOW_HTTP: 'true', AGENT_ALLOW_HOSTS: '127.0.0.1' })).toBeGreaterThan(0);
  });

  test('can only be allowed by a host name or a network: other values are refused', () => {
    expect(() => readConfig({ AGENT_ALLOW_HOSTS: '10.0.0.0/99' })).toThrow(
      /AGENT_ALLOW_HOSTS: "10.0.0.0\/99" is not a host/,
    );
  });

  test('is called by a worker that has called none, if the first caller was killed after it had placed the call', async () => {
    await using server = await new RawServer((socket) => socket.end(noCard), '127.0.0.1').start();
    const store = new Store({ redisUrl: inject('redisUrl'), prefix: uniquePrefix() }, () => undefined);
    await store.start();
    const { calls } = readConfig({ AGENT_ALLOW_HTTP: 'true', AGENT_ALLOW_HOSTS: '127.0.0.1' }).worker;
    const settings = { drainMs: 0, sweepEveryMs: 60_000, ...(calls && { calls }) };
    const worker = new Worker(settings, { store, agents: [], emit: () => undefined });
    await worker.start();
    const agent = remoteAgentId(`${server.url}card`);
    const scope = { principal: { tenant: 'acme', subject: 'alice', scopes: [] }, agent };
    const message: Message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hello' }] };
    expect(await store.tasks.accept(scope, { message })).toMatchObject({ verdict: 'accepted' });
    await until(() => server.connections > 0, { what: 'the call is made' });
    await worker.stop();
    await store.stop();
  });

  test('is said not to answer, and why, until it does', async () => {
    let answer = 'HTTP/1.1 503 Away\r\nContent-Length: 0\r\n\r\n';
    await using server = await new RawServer((socket) => socket.end(answer), '127.0.0.1').start();
    const store = new Store({ redisUrl: inject('redisUrl'), prefix: uniquePrefix() }, () => undefined);
    await store.start();
    const agent = agentThat(remoteExecutor({ cardUrl: `${server.url}card`, retryBudgetMs: 60_000 }), { id: 'almanac' });
    const worker = new Worker({ drainMs: 0, sweepEveryMs: 60_000 }, { store, agents: [agent], emit: () => undefined });
    await worker.start();
    const scope = { principal: { tenant: 'acme', subject: 'alice', scopes: [] }, agent: 'almanac' };
    const message: Message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hello' }] };
    const accepted = await store.tasks.accept(scope, { message });
    const taskId = 'taskId' in accepted ? accepted.taskId : '';
    const diagnosis = () => new Ops(store).tasks.diagnosis(taskId);
    await until(async () => (await diagnosis())?.finding === 'remote-unreachable', { what: 'operators see it' });
    expect((await diagnosis())?.text).toMatch(
      /^Worker \S+ cannot reach the remote agent, .* seconds: .*\(HTTP 503\)\.$/,
    );
    const shown = async () => (await new Ops(store).agents.list('almanac'))[0]?.remoteProblem;
    const problem = await until(shown, { what: 'the list of agents shows it' });
    expect(problem).toMatchObject({ kind: 'unreachable', text: expect.stringContaining('HTTP 503') });
    answer = noCard;
    await until(async () => (await diagnosis())?.finding === 'failed', { what: 'its answer is used' });
    expect((await diagnosis())?.advice).toContain('Correct the address of the remote agent');
    await worker.stop();
    await store.stop();
  });
});
