import { Ops } from '@switchyard/operators';
import { waitingUri } from '@switchyard/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Binding } from './support/bindings/outcome.ts';
import { overGrpc } from './support/bindings/over-grpc.ts';
import { overJsonRpc, overRest } from './support/bindings/over-http.ts';
import { userMessage } from './support/client.ts';
import { grpcAddressOf } from './support/grpc-address.ts';
import { openStage, type Stage } from './support/stage.ts';

let stage: Stage;
let bindings: Readonly<Record<string, Binding>>;

beforeAll(async () => {
  stage = await openStage({ gateway: { grpc: { port: 0, publicAddress: 'auto' } } });
  const grpc = overGrpc(await grpcAddressOf(stage.url));
  bindings = { jsonrpc: overJsonRpc(stage.url), rest: overRest(stage.url), grpc };
});

afterAll(async () => {
  await new Ops(stage.store).agents.resume('echo');
  await stage[Symbol.asyncDispose]();
});

const asked = { 'a2a-extensions': waitingUri, 'a2a-version': '1.0' };
const unasked = { 'a2a-version': '1.0' };

/** A task of the result, also as GetTask has it. */
async function taskFrom(
  name: string,
  operation: string,
  params: object,
  headers: Record<string, string> = asked,
): Promise<{ id: string; metadata?: Record<string, unknown> }> {
  const outcome = await bindings[name]?.invoke({ operation, params: { ...params }, headers });
  const { result, error } = outcome as { result?: { task?: never }; error?: unknown };
  expect(error).toBeUndefined();
  return result?.task ?? (result as never);
}

const message = () => ({ message: userMessage('hello'), configuration: { returnImmediately: true } });

describe.each(['jsonrpc', 'rest', 'grpc'])('What a task waits for, over %s', (name) => {
  it('is in the first answer and in GetTask for a client that asks, and changes with the cause', async () => {
    await new Ops(stage.store).agents.resume('echo');
    const { id, metadata } = await taskFrom(name, 'SendMessage', message());
    expect(metadata?.[waitingUri]).toMatchObject({ reason: expect.any(String), text: expect.any(String) });
    // A gateway knows for a second whether an agent is paused.
    const wait = async () => (await taskFrom(name, 'GetTask', { id })).metadata?.[waitingUri];
    await expect.poll(wait).toMatchObject({ reason: 'queued', isStuck: false });
    await new Ops(stage.store).agents.pause('echo');
    const paused = { reason: 'agent-paused', text: 'The agent is paused by its operators.', isStuck: true };
    await expect.poll(wait).toMatchObject({ ...paused, since: expect.stringMatching(/Z$/) });
  });

  it('is not said to a client that does not ask, and not of an ended task', async () => {
    const { id, metadata } = await taskFrom(name, 'SendMessage', message(), unasked);
    expect(metadata).toBeUndefined();
    expect((await taskFrom(name, 'GetTask', { id }, unasked)).metadata).toBeUndefined();
    const canceled = await taskFrom(name, 'CancelTask', { id });
    expect(canceled.metadata?.[waitingUri]).toBeUndefined();
  });

  it('names neither workers nor other tenants, nor their number', async () => {
    for (const tenant of ['acme', 'globex'])
      await stage.store.tasks.accept(
        { principal: { tenant, subject: 'x', scopes: [] }, agent: 'echo' },
        { message: userMessage('theirs') },
      );
    const { metadata } = await taskFrom(name, 'SendMessage', message());
    expect(JSON.stringify(metadata)).not.toMatch(/\d+ tasks?|acme|globex|worker [\w-]+\d/);
    expect(Object.keys(metadata?.[waitingUri] ?? {}).sort()).toEqual(['isStuck', 'reason', 'since', 'text']);
  });
});
