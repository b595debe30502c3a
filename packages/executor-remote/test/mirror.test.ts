import type { Task } from '@switchyard/protocol';
import { describe, expect, it } from 'vitest';
import { observable } from '../../../tests/support/observable.ts';
import { pizzaDesk, samples } from '../../../tests/support/sdk-executors.ts';
import { SdkServer } from '../../../tests/support/sdk-server.ts';
import { exchange } from './remote-turns.ts';
import type { SdkHttpServerOptions } from './sdk-http-server.ts';

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
