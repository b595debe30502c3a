import type { Client } from 'pg';

/** Tasks of a year up to now, made by PostgreSQL itself: copying as many would take hours. */
export interface Filling {
  /** As it is written in SQL, of an archive that has its tables. */
  readonly schema: string;
  readonly tasks: number;
}

export const YEAR_MS = 365 * 86_400_000;
/** Texts and timelines are shared by tasks, so that they are made and compressed once. */
const TEXTS = 5_000;
const TASKS_AT_ONCE = 50_000;
/** One task of so many has a word of its own. */
const NUMBERED = 1_000;

/**
 * Fills an empty archive. Its indexes are dropped meanwhile, and made again as they were; nothing is logged. A text has
 * 50 words: a few are in nearly all tasks, most in very few. One principal has a tenth of the tasks, of an agent that has
 * 40 % of all; the rest is of a hundred tenants and thirteen other agents.
 */
export async function fill(client: Client, { schema, tasks }: Filling): Promise<void> {
  const { rows: indexes } = await client.query<{ indexname: string; indexdef: string }>(
    `SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = $1 AND tablename = 'tasks' AND indexname <> 'tasks_pkey'`,
    [schema],
  );
  for (const { indexname } of indexes) await client.query(`DROP INDEX ${schema}.${indexname}`);
  await client.query(`ALTER TABLE ${schema}.tasks SET UNLOGGED`);
  await client.query("SET work_mem = '256MB'");
  await client.query(textsStatement);
  const first = Date.now() - YEAR_MS;
  for (let from = 0; from < tasks; from += TASKS_AT_ONCE) {
    const last = Math.min(tasks, from + TASKS_AT_ONCE) - 1;
    await client.query(rowsStatement(schema), [from, last, first, YEAR_MS / tasks]);
  }
  for (const { indexdef } of indexes) await client.query(indexdef);
  await client.query(`VACUUM ANALYZE ${schema}.tasks, ${schema}.counts`);
}

const textsStatement = `
  SELECT setseed(0.5);
  CREATE TEMP TABLE IF NOT EXISTS texts AS
    SELECT n, to_tsvector('simple', 'look for ' || text) AS words,
      ',"artifacts":[{"artifactId":"answer","parts":[{"text":"' || text || '"}]}]' AS artifacts,
      '{"contextId":"' || md5(text) || '","timeline":[' || (
        SELECT string_agg('{"kind":"state","at":"' || md5(text || i) || '","state":"TASK_STATE_WORKING"}', ',')
        FROM generate_series(1, 14) AS i
      ) || ']}' AS detail
    FROM (
      SELECT n, (
        SELECT string_agg('w' || floor(power(20000, random()))::int, ' ') FROM generate_series(1, 50) WHERE n >= 0
      ) AS text
      FROM generate_series(0, ${TEXTS - 1}) AS n
    ) AS made;
  CREATE INDEX IF NOT EXISTS texts_by_number ON texts (n);
  ANALYZE texts`;

/** $1, $2: first and last number; $3: ms since 1970 of the first end; $4: ms between two ends. */
const rowsStatement = (schema: string): string => `
  WITH numbered AS (
    SELECT i, md5(i::text)::uuid::text AS id, hashint4(i) & 65535 AS chance,
      ${sortable('($3::float8 + $4::float8 * i)::bigint')} AS time
    FROM generate_series($1::int, $2::int) AS i
  ), placed AS (
    SELECT *,
      CASE WHEN i % 10 = 0 THEN 'acme' ELSE 't' || chance % 100 END AS tenant,
      CASE WHEN i % 10 = 0 THEN 'al' ELSE 'p' || chance % 5000 END AS subject,
      CASE WHEN i % 10 = 0 OR chance % 3 = 0 THEN 'agent0' ELSE 'agent' || chance % 14 END AS agent,
      CASE WHEN chance % 20 > 0 THEN 'C' WHEN chance % 400 = 0 THEN 'R' WHEN chance % 40 = 0 THEN 'X' ELSE 'F' END AS letter
    FROM numbered
  )
  INSERT INTO ${schema}.tasks (id, owner, owner_key, principal_key, tenant_key, agent_key, context, context_key, letter,
    time, ended_at, version, seq, answered, head, artifacts, history, history_bytes, tail, row_json, detail_json,
    origin_json, words)
  SELECT id, owner, owner, principal, tenant || '/', agent, id, id, letter, time, time, '7-' || id, 7, 1,
    '{"id":"' || id || '","contextId":"' || id || '","status":{"state":"TASK_STATE_COMPLETED"}', artifacts,
    ARRAY['{"messageId":"' || id || '","role":"ROLE_USER","parts":[{"text":"Look for n' || i || '"}]}'], 130, '}',
    '{"taskId":"' || id || '","contextId":"' || id || '","agent":"' || agent || '","tenant":"' || tenant || '","subject":"' ||
      subject || '","state":"TASK_STATE_COMPLETED","attempts":1,"inbox":0,"text":"Look for n' || i || '"}',
    detail, '["' || owner || '",null]',
    CASE WHEN i % ${NUMBERED} = 0 THEN words || to_tsvector('simple', 'n' || i) ELSE words END
  FROM placed JOIN texts ON n = i % ${TEXTS},
    LATERAL (SELECT tenant || '/' || subject || '/' AS principal, tenant || '/' || subject || '/' || agent AS owner) AS owned`;

/** A number as eight digits to the base of 36: see `sortableTime`. */
function sortable(number: string): string {
  const units = Array.from({ length: 8 }, (_, i) => 36 ** (7 - i));
  const digits = units.map(
    (unit) => `substr('0123456789abcdefghijklmnopqrstuvwxyz', (made / ${unit} % 36)::int + 1, 1)`,
  );
  return `(SELECT ${digits.join(' || ')} FROM (SELECT ${number} AS made) AS of_number)`;
}
