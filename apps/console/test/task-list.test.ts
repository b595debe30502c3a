import type { TaskPage } from '@switchyard/operator-api';
import { expect, test } from 'vitest';
import { taskRow } from '../../../tests/support/stand-in-answers.ts';
import { TaskList } from '../src/pages/tasks/task-list.ts';

const page = (first: number, nextPageToken = 'next'): TaskPage => ({
  tasks: Array.from({ length: 100 }, (_, i) => taskRow(first + i)),
  totalSize: 1_000_000,
  nextPageToken,
  isPartial: false,
});

test('an open list of a busy deployment keeps a bounded number of tasks, the newest ones, without a gap', () => {
  const list = new TaskList(() => Promise.reject(new Error('not asked')));
  // The first task is the newest: fifty new ones come with each answer.
  for (let first = 14_000; first >= 0; first -= 50) list.takeNewest(page(first));
  const rows = list.rows.value;
  expect(rows.length).toBe(12_000);
  expect(rows.map(({ taskId }) => taskId)).toEqual(Array.from({ length: 12_000 }, (_, i) => taskRow(i).taskId));
  expect(list.isCut.value).toBe(true);
});

test('a list that is sorted by cost is replaced by a new first page, until more of it was loaded', async () => {
  const list = new TaskList(() => Promise.resolve(page(200)), 'cost');
  for (const first of [0, 900]) list.takeNewest(page(first));
  expect(list.rows.value.map(({ taskId }) => taskId)).toEqual(page(900).tasks.map(({ taskId }) => taskId));
  await list.more();
  list.takeNewest(page(500));
  expect(list.rows.value).toEqual(
    [...page(900).tasks, ...page(200).tasks].map((row) => expect.objectContaining({ taskId: row.taskId })),
  );
});

test('a list without older tasks is not cut', () => {
  const list = new TaskList(() => Promise.reject(new Error('not asked')));
  list.takeNewest(page(0, ''));
  expect(list.isCut.value).toBe(false);
});
