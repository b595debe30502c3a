import { randomBytes } from 'node:crypto';
import { Task } from '@a2a-js/sdk';
import { describe, expect, it } from 'vitest';
import { toTask } from '../src/bindings/grpc/messages.ts';

const MiB = 1024 ** 2;
const rawPart = (bytes: number) => ({ raw: randomBytes(bytes).toString('base64'), mediaType: 'image/png' });

function taskWith(...parts: object[]): string {
  const history = [{ messageId: 'm', role: 'ROLE_USER', parts }];
  const metadata = { raw: 'x'.repeat(MiB) };
  const status = { state: 'TASK_STATE_COMPLETED' };
  return JSON.stringify({
    id: 'a',
    contextId: 'b',
    status,
    artifacts: [{ artifactId: 'c', parts }],
    history,
    metadata,
  });
}

describe('A large task over gRPC', () => {
  it('has the bytes of each raw part, and all that is only named so', () => {
    const json = taskWith(rawPart(MiB), rawPart(10), { data: { raw: 'y'.repeat(MiB) } }, { data: null });
    expect(Task.toJSON(toTask(json))).toEqual(JSON.parse(json));
  });

  it('is converted with one copy of its raw bytes', () => {
    const json = taskWith(rawPart(12 * MiB));
    const before = process.memoryUsage().arrayBuffers;
    const { artifacts, history } = toTask(json);
    const more = process.memoryUsage().arrayBuffers - before;
    expect([artifacts.length, history.length]).toEqual([1, 1]);
    // In the artifact and in the history, each once.
    expect(more).toBeLessThan(2.5 * 12 * MiB);
  });
});
