import type { Task } from '@switchyard/protocol';
import { expect, test } from 'vitest';
import { skippedFor } from '../../../tests/support/has-program.ts';
import { archived, runChaos } from '../chaos.ts';
import { Outages } from '../inject/outages.ts';
import { missingStores } from '../stores/stores.ts';
import {
  leftFiles,
  listedThoughDeleted,
  wrongDeletion,
  wrongDigest,
  wrongList,
  wrongReading,
} from '../workload/kept-tasks.ts';

const skipped = skippedFor(missingStores());
/** The others take too long for a test, or have their own tests. One of the kills waits for the next worker's turn. */
const kills = archived.faults.filter(({ name }) => name.startsWith('worker killed '));
const quick = /^(?:PostgreSQL killed|replies of PostgreSQL lost|uploads .*)$/;

test.skipIf(skipped)(
  `whatever is killed, ended tasks and their files can be read, also when Redis has forgotten them${skipped ? ` (${skipped})` : ''}`,
  async () => {
    const seed = Number(process.env.FAULTS_SEED ?? Date.now() % 100_000);
    const { violations, tasks, faults, kept } = await runChaos({
      ...archived,
      workers: 2,
      faults: [...kills.slice(seed % 3, (seed % 3) + 1), ...archived.faults.filter(({ name }) => quick.test(name))],
      tasks: 40,
      count: 4,
      seed,
      clients: 6,
      pauseMs: [300, 1_000],
      retentionMs: 35_000,
      log: () => undefined,
    });
    expect(violations.slice(0, 10), `seed ${seed}, ${JSON.stringify(faults)}`).toEqual([]);
    expect(tasks).toBeGreaterThanOrEqual(40);
    expect(kept?.reads).toBeGreaterThan(tasks);
    expect(kept?.downloads).toBeGreaterThan(0);
    expect(kept?.lists).toBeGreaterThan(1);
  },
);

const task: Task = { id: 't', status: { state: 'TASK_STATE_COMPLETED' }, metadata: { n: 1 } };
const away = JSON.stringify({ error: { code: 503, message: 'The archive of ended tasks is unavailable' } });

test.each<[string, { status: number; text: string; isExplained?: boolean }, string?]>([
  ['as it was', { status: 200, text: JSON.stringify(task) }],
  ['with other contents', { status: 200, text: JSON.stringify({ ...task, metadata: {} }) }, 't is {'],
  ['not found', { status: 404, text: 'no', isExplained: true }, 't was answered 404: no'],
  ['with an error', { status: 500, text: 'no', isExplained: true }, 't was answered 500: no'],
  ['refused while a store is away', { status: 503, text: away, isExplained: true }],
  ['refused while no store is away', { status: 503, text: away }, 't was answered 503'],
])('the violations of an ended task that was read %s', (_, { isExplained = false, ...answer }, what) => {
  const found = wrongReading(task, { ...answer, isExplained });
  expect(found).toEqual(what === undefined ? [] : [{ kind: 'unreadable', what: expect.stringContaining(what) }]);
});

test('a deleted task that is read or listed is a violation', () => {
  const isExplained = false;
  expect(wrongDeletion('t', { status: 404, text: 'no', isExplained })).toEqual([]);
  expect(wrongDeletion('t', { status: 200, text: '{}', isExplained })).toEqual([
    { kind: 'deleted', what: 't was answered 200: {}' },
  ]);
  expect(listedThoughDeleted(['t'], ['a', 'b'])).toEqual([]);
  expect(listedThoughDeleted(['t'], ['a', 't'])).toEqual([{ kind: 'deleted', what: 't is listed' }]);
});

test('an outage explains a refusal while it lasts and until programs notice its end, of its own store only', () => {
  const outages = new Outages();
  const now = performance.now();
  const at = (ms: number) => ({ fromMs: now + ms, untilMs: now + ms + 10 });
  expect(outages.explain(['archive'], at(0))).toBe(false);
  const end = outages.begin('archive');
  expect(outages.explain(['tasks', 'archive'], at(60_000))).toBe(true);
  expect(outages.explain(['tasks'], at(0))).toBe(false);
  end();
  expect(outages.explain(['archive'], at(1_000))).toBe(true);
  expect(outages.explain(['archive'], at(60_000))).toBe(false);
  expect(outages.explain(['archive'], at(-60_000))).toBe(false);
});

test('a task that is listed twice or not at all, a file with other bytes, and one that is left are violations', () => {
  expect(wrongList(['a', 'b', 'c'], ['new', 'c', 'b', 'a', 'b'])).toEqual([
    { kind: 'unreadable', what: 'b is listed 2 times' },
  ]);
  expect(wrongList(['a', 'b'], ['b'])).toEqual([{ kind: 'unreadable', what: 'a is listed 0 times' }]);
  const file = { url: 'http://g/files/1', sha256: 'abc' };
  expect(wrongDigest('t', { ...file, found: 'abc' })).toEqual([]);
  expect(wrongDigest('t', { ...file, found: 'abd' })).toMatchObject([{ kind: 'files' }]);
  expect(leftFiles(['files/.deployment', 'files/.sweep', 'files/.counted'])).toEqual([]);
  expect(leftFiles(['files/.deployment', 'files/0/f/1-z/facts.json'])).toEqual([
    { kind: 'leftFiles', what: 'files/0/f/1-z/facts.json' },
  ]);
});
