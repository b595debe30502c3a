import { fold, type Task } from '@switchyard/protocol';
import { expect } from 'vitest';
import type { SentEvent } from './sent-events.ts';

/** Expects that these are all events of the task: numbered without gaps, and adding up to the task as it is read. */
export function expectAllEvents(events: readonly SentEvent[], task: Task): void {
  expect(events.map(({ id }) => id)).toEqual(events.map((_, index) => index + 1));
  const blank: Task = { ...task, artifacts: [] };
  const { status, artifacts } = events.reduce<Task>((sum, { data }) => fold(sum, data), blank);
  expect({ status, artifacts }).toEqual({ status: task.status, artifacts: task.artifacts });
}

/** The text of an artifact with this many lines: `line 1`, `line 2`, … */
export function numberedLines(what: string, count: number): string {
  return Array.from({ length: count }, (_, index) => `${what} ${index + 1}\n`).join('');
}
