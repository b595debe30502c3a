import { AgentEvent } from '@a2a-js/sdk/server';
import { runTurn } from '@switchyard/agent/testing';
import type { Task } from '@switchyard/protocol';
import { describe, expect, it, test } from 'vitest';
import { agentThat } from '../../../tests/support/agent-that.ts';
import { observable } from '../../../tests/support/observable.ts';
import { executorThat, pizzaDesk, samples, says } from '../../../tests/support/sdk-executors.ts';
import { SdkServer } from '../../../tests/support/sdk-server.ts';
import { remoteExecutor } from '../src/index.ts';
import { exchange } from './remote-turns.ts';
import { SdkHttpServer, type SdkHttpServerOptions } from './sdk-http-server.ts';

const transports: [string, SdkHttpServerOptions][] = [
  ['JSON-RPC, streaming', { binding: 'JSONRPC' }],
  ['JSON-RPC, polling', { binding: 'JSONRPC', streaming: false }],
  ['HTTP+JSON, streaming', { binding: 'HTTP+JSON' }],
  ['HTTP+JSON, polling', { binding: 'HTTP+JSON', streaming: false }],
  ['JSON-RPC of version 0.3, streaming', { binding: 'JSONRPC', version: '0.3' }],
  ['JSON-RPC of version 0.3, polling', { binding: 'JSONRPC', version: '0.3', streaming: false }],
];

/** Without the ids of artifacts: a mirrored artifact has a local id, and its original id in the metadata. */
function withoutIds(task: Task): object {
  const artifacts = task.artifacts?.map(({ metadata: _, ...artifact }) => ({ ...artifact, artifactId: '' })) ?? [];
  return observable({ ...task, artifacts });
}

describe.each(transports)('the task of a remote agent is mirrored over %s', (_, options) => {
  it.each(Object.keys(samples))('%s', async (name) => {
    const executor = samples[name] ?? pizzaDesk;
    const theirs = await new SdkServer(executor).say('Hello');
    const ours = await exchange(executor, ['Hello'], options);
    if (theirs.task) expect(withoutIds(ours.task)).toEqual(withoutIds(theirs.task));
    else expect(ours.task.status.message?.parts).toEqual(theirs.message?.parts);
  });

  it('for several turns', async () => {
    const texts = ['I want a pizza', 'Something good', 'Do you have pineapple?'];
    const { task } = await exchange(pizzaDesk, texts, options);
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    expect(task.history?.map(({ parts }) => parts[0]?.text)).toEqual([
      'I want a pizza',
      'What kind?',
      'Something good',
      'Which one?',
      'Do you have pineapple?',
      'Hawaiian, after 5 messages',
    ]);
  });
});

/** A text, a URL, or bytes as text. */
const contentText = (content: { readonly value?: unknown } | undefined): string =>
  content?.value instanceof Uint8Array ? Buffer.from(content.value).toString() : String(content?.value);

test('a remote agent gets the content of files of this deployment, whose URLs it cannot read', async () => {
  const seen: unknown[] = [];
  const reader = executorThat(async (context, bus) => {
    seen.push(
      context.userMessage.parts.map(({ content, filename }) => [content?.$case, contentText(content), filename]),
    );
    bus.publish(AgentEvent.message(says(context, 'Read')));
  });
  await using server = await new SdkHttpServer(reader).start();
  const host = agentThat(async (turn) => {
    const part = await turn.artifact({ name: 'Report' }).file('content', { name: 'a.txt' });
    const { text } = await turn.call('remote', { parts: [part, { url: 'https://files.example/b' }] });
    const refused = await turn.call('narrow', part);
    return turn.complete(`${text} ${refused.text}`);
  });
  const agents = [
    agentThat(remoteExecutor({ cardUrl: server.cardUrl }), { id: 'remote' }),
    agentThat(remoteExecutor({ cardUrl: server.cardUrl, maxFileBytes: 6 }), { id: 'narrow' }),
  ];
  const { answer } = await runTurn(host, 'Go', { agents });
  expect(answer).toBe(
    'Read With "a.txt" the files of the message have more than 6 bytes, the most that this agent takes.',
  );
  expect(seen).toEqual([
    [
      ['raw', 'content', 'a.txt'],
      ['url', 'https://files.example/b', ''],
    ],
  ]);
});
