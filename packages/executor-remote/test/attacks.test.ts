import { executeTurn, type TurnResult } from '@switchyard/agent/runtime';
import { MemoryPort } from '@switchyard/agent/testing';
import { describe, expect, test } from 'vitest';
import { agentThat } from '../../../tests/support/agent-that.ts';
import { answerOf, RawServer, writeWithoutEnd } from '../../../tests/support/raw-server.ts';
import { until } from '../../../tests/support/until.ts';
import { type RemoteSettings, remoteAgent, remoteExecutor } from '../src/index.ts';
import { ScriptedAgent } from './scripted-agent.ts';

const secret = 'Bearer planted-secret';
const silent = (): void => undefined;
const interfaceAt = (url: string) => ({
  supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
});

type Settings = Partial<Omit<RemoteSettings, 'card' | 'cardUrl'>>;

/** Runs a turn with the agent whose card is at the URL. */
async function turnWith(cardUrl: string, settings: Settings = {}): Promise<{ result: TurnResult; statusText: string }> {
  const execute = remoteExecutor({
    cardUrl,
    pollEveryMs: 10,
    retryBudgetMs: 300,
    requestTimeoutMs: 1_000,
    ...settings,
  });
  const port = new MemoryPort({ message: 'Hello' });
  const result = await executeTurn(agentThat(execute), port);
  return { result, statusText: port.current.status.message?.parts[0]?.text ?? '' };
}

describe('a malicious agent card', () => {
  test('cannot make the worker call another port of the same host', async () => {
    await using victim = await new RawServer(silent, '127.0.0.1').start();
    await using evil = await new ScriptedAgent({}, interfaceAt(`http://127.0.0.1:${victim.port}/`)).start();
    expect((await turnWith(evil.cardUrl)).result.kind).toBe('failed');
    expect(victim.connections).toBe(0);
  });

  test('cannot make the worker call another loopback address', async () => {
    await using victim = await new RawServer(silent, '127.0.0.2').start();
    await using evil = await new ScriptedAgent({}, interfaceAt(`http://127.0.0.2:${victim.port}/`)).start();
    expect((await turnWith(evil.cardUrl)).result.kind).toBe('failed');
    expect(victim.connections).toBe(0);
  });

  test('cannot make the worker call the metadata service of a cloud; the turn fails without a retry', async () => {
    await using evil = await new ScriptedAgent({}, interfaceAt('http://169.254.169.254/latest/meta-data')).start();
    const { result } = await turnWith(evil.cardUrl, { retryBudgetMs: 60_000 });
    expect(result.kind).toBe('failed');
  });

  test('cannot make the worker send its headers to another origin, although the policy allows that host', async () => {
    await using thief = await new RawServer(silent, '127.0.0.2').start();
    await using evil = await new ScriptedAgent({}, interfaceAt(thief.url)).start();
    const policy = { allowHttp: true, allowHosts: ['127.0.0.0/8'] };
    const { result, statusText } = await turnWith(evil.cardUrl, { headers: { Authorization: secret }, policy });
    expect(result.kind).toBe('failed');
    expect(statusText).toContain('trustedOrigins');
    expect(thief.connections).toBe(0);
  });

  test('cannot redirect the worker to another server', async () => {
    await using victim = await new RawServer(silent, '127.0.0.1').start();
    const redirect = `HTTP/1.1 302 Elsewhere\r\nLocation: ${victim.url}\r\nContent-Length: 0\r\n\r\n`;
    await using evil = await new RawServer((socket) => socket.end(redirect), '127.0.0.1').start();
    const { result } = await turnWith(evil.url, { headers: { Authorization: secret } });
    expect(result.kind).not.toBe('settled');
    expect(victim.connections).toBe(0);
  });

  test('without an end is refused after about 1 MiB', async () => {
    let written = 0;
    await using evil = await new RawServer((socket) => {
      socket.write(answerOf('{"name":"', 'Content-Length: 1000000000', 'Content-Type: application/json'));
      socket.on('close', () => {
        written = socket.bytesWritten;
      });
      writeWithoutEnd(socket, 'x'.repeat(64 * 1024));
    }, '127.0.0.1').start();
    await expect(remoteAgent({ id: 'evil', cardUrl: evil.url, cardTimeoutMs: 0 })).rejects.toThrow(/longer than/);
    await until(() => written, { what: 'the end of the connection' });
    // The buffers of both sockets come on top of the 1 MiB.
    expect(written).toBeLessThan(16 * 1024 * 1024);
  });

  test('is not possible in the settings: the worker trusts the URL of a card that the operator wrote', async () => {
    const task = { id: 't', contextId: 'c', status: { state: 'TASK_STATE_COMPLETED' } };
    await using agent = await new ScriptedAgent({ SendMessage: [{ result: { task } }] }).start();
    const card = agent.card();
    const execute = remoteExecutor({ card, headers: { Authorization: secret } });
    const result = await executeTurn(agentThat(execute), new MemoryPort({ message: 'Hello' }));
    expect(result).toMatchObject({ state: 'TASK_STATE_COMPLETED' });
  });
});

describe('a malicious remote agent', () => {
  test("cannot redirect the worker's headers to another server", async () => {
    await using thief = await new RawServer(silent, '127.0.0.1').start();
    const redirect = `HTTP/1.1 307 Elsewhere\r\nLocation: ${thief.url}\r\nContent-Length: 0\r\n\r\n`;
    await using rpc = await new RawServer((socket) => socket.end(redirect), '127.0.0.1').start();
    await using evil = await new ScriptedAgent({}, interfaceAt(`http://127.0.0.1:${rpc.port}/`)).start();
    const trustedOrigins = [`http://127.0.0.1:${rpc.port}`];
    await turnWith(evil.cardUrl, { headers: { Authorization: secret }, trustedOrigins });
    expect(rpc.requests.join()).toContain(secret);
    expect(thief.connections).toBe(0);
  });

  test('cannot delay the retry by more than an hour', async () => {
    const later = 'HTTP/1.1 503 Later\r\nRetry-After: 1000000000\r\nContent-Length: 0\r\n\r\n';
    await using evil = await new RawServer((socket) => socket.end(later), '127.0.0.1').start();
    const { result } = await turnWith(evil.url);
    expect(result).toMatchObject({ kind: 'retry', afterMs: 3_600_000 });
  });

  test('cannot fill the task with a long error', async () => {
    const longError = answerOf('x'.repeat(1_000_000), 'Connection: close').toString().replace('200 OK', '400 No');
    await using rpc = await new RawServer((socket) => socket.end(longError), '127.0.0.1').start();
    await using evil = await new ScriptedAgent({ SendStreamingMessage: [] }, interfaceAt(rpc.url)).start();
    const { result, statusText } = await turnWith(evil.cardUrl, { trustedOrigins: [`http://127.0.0.1:${rpc.port}`] });
    expect(result.kind).not.toBe('settled');
    expect(statusText.length).toBeLessThan(1_000);
  });

  test.each([
    ['an answer', 'SendMessage', 'application/json'],
    ['an event', 'SendStreamingMessage', 'text/event-stream'],
  ])('cannot send %s without an end', async (_, method, type) => {
    await using rpc = await new RawServer((socket) => {
      socket.write(answerOf('data: ', 'Connection: close', `Content-Type: ${type}`));
      writeWithoutEnd(socket, 'x'.repeat(256 * 1024));
    }, '127.0.0.1').start();
    await using evil = await new ScriptedAgent({ [method]: [] }, interfaceAt(rpc.url)).start();
    const settings = { trustedOrigins: [`http://127.0.0.1:${rpc.port}`], requestTimeoutMs: 20_000 };
    expect((await turnWith(evil.cardUrl, settings)).result.kind).toBe('failed');
  });
});
