import { randomUUID } from 'node:crypto';
import type { PostgresArchive } from '@switchyard/archive/postgres-archive';
import type { ArchivedTask } from '@switchyard/store';
import type { Client } from 'pg';
import { median, SeededRandom } from '../statistics.ts';
import { count, markdownTable, percent } from '../tables.ts';

/** As the archiver does it. */
const TASKS_AT_ONCE = 100;
const BATCHES = 100;
const ROUNDS = 5;

const random = new SeededRandom(1);
const word = (): string => `w${Math.floor(20_000 ** random.next())}`;
const textOf = (words: number): string => Array.from({ length: words }, word).join(' ');

/** Writes of the same tasks to an empty archive, in turn as they are made, and without what a search or total needs. */
export async function copyingSpeed(archive: PostgresArchive, client: Client, schema: string): Promise<string> {
  await archive.start();
  const { rows } = await client.query<{ indexdef: string }>(
    "SELECT indexdef FROM pg_indexes WHERE schemaname = $1 AND indexname = 'tasks_by_words'",
    [schema],
  );
  const table = `${schema}.tasks`;
  const withoutIndex = `DROP INDEX ${schema}.tasks_by_words`;
  const withoutCounts = `ALTER TABLE ${table} DISABLE TRIGGER USER`;
  const variants = [
    { name: 'as it is', without: [] },
    { name: 'without the index of words', without: [withoutIndex] },
    { name: 'without counts', without: [withoutCounts] },
    { name: 'without both', without: [withoutIndex, withoutCounts] },
  ].map((variant) => ({ ...variant, seconds: [] as number[] }));
  for (let round = 0; round < ROUNDS; round += 1)
    for (const { without, seconds } of variants) {
      await client.query(`TRUNCATE ${table}, ${schema}.counts`);
      for (const statement of without) await client.query(statement);
      seconds.push(await secondsOfCopies(archive, client, without.includes(withoutIndex) ? undefined : schema));
      await client.query(`ALTER TABLE ${table} ENABLE TRIGGER USER`);
      if (without.includes(withoutIndex)) await client.query(rows[0]?.indexdef ?? '');
    }
  const usual = median(variants[0]?.seconds ?? []);
  return markdownTable(
    ['copies', 'tasks a second', 'time'],
    variants.map(({ name, seconds }) => [
      name,
      count((TASKS_AT_ONCE * BATCHES) / median(seconds)),
      percent(median(seconds) / usual),
    ]),
  );
}

/** @param schema unset: it has no index of words */
async function secondsOfCopies(archive: PostgresArchive, client: Client, schema: string | undefined): Promise<number> {
  const batches = Array.from({ length: BATCHES }, () => Array.from({ length: TASKS_AT_ONCE }, taskToCopy));
  const from = performance.now();
  for (const batch of batches) await archive.put(batch);
  // What PostgreSQL has left for later is done.
  if (schema) await client.query(`SELECT gin_clean_pending_list('${schema}.tasks_by_words')`);
  return (performance.now() - from) / 1_000;
}

function taskToCopy(): ArchivedTask {
  const id = randomUUID();
  const agent = `agent${random.between(0, 13)}`;
  const owner = `t${random.between(0, 99)}/p${random.between(0, 4_999)}/${agent}`;
  const time = Date.now().toString(36);
  const message = (role: string, text: string): string =>
    JSON.stringify({ messageId: randomUUID(), contextId: id, taskId: id, role, parts: [{ text }] });
  return {
    ...{ id, owner, agent, context: id, letter: 'C', time, endedAt: time, version: `7-${randomUUID()}`, answered: 1 },
    json: {
      head: `{"id":"${id}","contextId":"${id}","status":{"state":"TASK_STATE_COMPLETED"}`,
      artifacts: `,"artifacts":[{"artifactId":"answer","parts":[{"text":"${textOf(40)}"}]}]`,
      history: [message('ROLE_USER', textOf(10)), message('ROLE_AGENT', textOf(3))],
      tail: '}',
    },
    row: JSON.stringify({ taskId: id, agent, owner, state: 'TASK_STATE_COMPLETED', attempts: 1, inbox: 0 }),
    detail: JSON.stringify({
      taskId: id,
      timeline: Array.from({ length: 14 }, () => ({ kind: 'state', at: randomUUID() })),
    }),
    origin: JSON.stringify([owner, null]),
  };
}
