import type { StreamResponse, Task } from '@switchyard/protocol';
import { expect, test } from 'vitest';
import { LiveTask } from '../../src/pages/task/content/live-task.ts';

const ids = { taskId: 't', contextId: 'c' };
const snapshot: Task = { id: 't', contextId: 'c', status: { state: 'TASK_STATE_WORKING' } };
const chunk = (text: string, more: object = {}): StreamResponse => ({
  artifactUpdate: { ...ids, artifact: { artifactId: 'a', parts: [{ text }] }, append: true, ...more },
});

/** A live task; `paint` runs its animation frames. */
function liveTask() {
  const frames: (() => void)[] = [];
  const live = new LiveTask((write) => void frames.push(write));
  const paint = (): number => frames.splice(0).map((write) => write()).length;
  return { live, paint };
}

test('updates the page once per frame, however many events come in between', () => {
  const { live, paint } = liveTask();
  live.take({ task: snapshot });
  for (let i = 0; i < 5_000; i++) live.take(chunk('x'));
  expect(live.task.value).toBeUndefined();
  expect(paint()).toBe(1);
  expect(live.task.value?.artifacts).toMatchObject([{ parts: [{ text: 'x'.repeat(5_000) }] }]);
  expect(paint()).toBe(0);
});

test('keeps the version of an artifact while it grows, and changes it when the artifact is replaced', () => {
  const { live } = liveTask();
  live.take({ task: snapshot });
  live.take(chunk('one', { append: false }));
  const version = live.versionOf('a');
  live.take(chunk(' two'));
  expect(live.versionOf('a')).toBe(version);
  live.take(chunk('other', { append: false }));
  expect(live.versionOf('a')).not.toBe(version);
});

test('replaces everything by a new snapshot', () => {
  const { live, paint } = liveTask();
  live.take({ task: snapshot });
  live.take(chunk('lost'));
  const version = live.versionOf('a');
  live.take({ task: { ...snapshot, artifacts: [{ artifactId: 'a', parts: [{ text: 'kept' }] }] } });
  paint();
  expect(live.task.value?.artifacts).toEqual([{ artifactId: 'a', parts: [{ text: 'kept' }] }]);
  expect(live.versionOf('a')).not.toBe(version);
});

test('closes an artifact at its last chunk', () => {
  const { live } = liveTask();
  live.take({ task: snapshot });
  live.take(chunk('one'));
  expect(live.isClosed('a')).toBe(false);
  live.take(chunk('', { lastChunk: true }));
  expect(live.isClosed('a')).toBe(true);
});
