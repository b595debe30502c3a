import type { ArchiveQuery } from '@switchyard/store';
import { conditionsOf, inStatesAndAgents, isPrincipal, isTenant, timeColumn } from './conditions.ts';
import { keyOf } from './keyed-texts.ts';
import type { Parameters, Statement } from './statement.ts';
import type { Tables } from './tables.ts';

/**
 * Times are counted together if they begin with as many digits: those of 17 hours. So a year is 520 counts of a list and
 * state, and the tasks of two such times, at both ends of a search, are counted one by one.
 */
const BUCKET_LENGTH = 3;

/** Keys of owners begin with so many characters of them, at least. */
const SHORT = 100;

/**
 * How many tasks there are of an owner (by the time of the status), of a tenant and of all (by their ends), for each
 * agent and state. Triggers count in the transaction of any change, in one order, so that transactions wait for each
 * other in turn; database.ts has the exception. A replacement by an equal task changes no count.
 */
export const countedByTriggers = ({ schema, tasks, counts }: Tables): string => `
    CREATE TABLE ${counts} (
      scope text COLLATE "C",
      agent_key text COLLATE "C",
      bucket text COLLATE "C",
      letter text COLLATE "C",
      tasks bigint NOT NULL,
      PRIMARY KEY (scope, agent_key, bucket, letter)
    ) WITH (fillfactor = 70);
    ${changes.map((change) => trigger({ schema, tasks, counts }, change)).join('')}`;

const added = 'SELECT *, 1 AS change FROM added';
const removed = 'SELECT *, -1 AS change FROM removed';
const changes = [
  { event: 'INSERT', tables: 'NEW TABLE AS added', changed: added },
  { event: 'UPDATE', tables: 'OLD TABLE AS removed NEW TABLE AS added', changed: `${added} UNION ALL ${removed}` },
  { event: 'DELETE', tables: 'OLD TABLE AS removed', changed: removed },
] as const;

function trigger({ schema, tasks, counts }: Tables, { event, tables, changed }: (typeof changes)[number]): string {
  const name = `count_on_${event.toLowerCase()}`;
  return `
    CREATE FUNCTION ${schema}.${name}() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO ${counts} AS known (scope, agent_key, bucket, letter, tasks)
      SELECT scope, agent_key, left(at, ${BUCKET_LENGTH}), letter, sum(change)
      ${countedIn(`(${changed}) AS changed`)}
      GROUP BY 1, 2, 3, 4 HAVING sum(change) <> 0 ORDER BY 1, 2, 3, 4
      ON CONFLICT (scope, agent_key, bucket, letter) DO UPDATE SET tasks = known.tasks + excluded.tasks;
      RETURN NULL;
    END $$;
    CREATE TRIGGER ${name} AFTER ${event} ON ${tasks} REFERENCING ${tables}
      FOR EACH STATEMENT EXECUTE FUNCTION ${schema}.${name}();`;
}

/** Each task for each of its counts. */
const countedIn = (tasks: string): string => `
      FROM ${tasks},
        LATERAL (VALUES ('o' || owner_key, time), ('t' || tenant_key, ended_at), ('a', ended_at)) AS counted (scope, at)
      WHERE letter IS NOT NULL`;

/**
 * Counts all tasks again, in one transaction. All that others write meanwhile changes tasks and counts together: by how
 * much the counts were wrong at the beginning, they still are at the end, and that is added. So nobody waits for it, but
 * another one that counts: both would add the same.
 */
export const recountStatements = ({ tasks, counts }: Tables): readonly Statement[] => [
  { text: `LOCK TABLE ${counts} IN SHARE UPDATE EXCLUSIVE MODE` },
  {
    text: `
      INSERT INTO ${counts} AS known (scope, agent_key, bucket, letter, tasks)
      SELECT scope, agent_key, bucket, letter, sum(missing) FROM (
        SELECT scope, agent_key, left(at, ${BUCKET_LENGTH}) AS bucket, letter, count(*) AS missing
        ${countedIn(tasks)} GROUP BY 1, 2, 3, 4
        UNION ALL SELECT scope, agent_key, bucket, letter, -tasks FROM ${counts}
      ) AS compared
      GROUP BY 1, 2, 3, 4 HAVING sum(missing) <> 0 ORDER BY 1, 2, 3, 4
      ON CONFLICT (scope, agent_key, bucket, letter) DO UPDATE SET tasks = known.tasks + excluded.tasks`,
  },
];

/** Forgets that there is none before a time. */
export const emptyCounts = ({ counts }: Tables, before: string): Statement => ({
  text: `DELETE FROM ${counts} WHERE tasks = 0 AND bucket < $1`,
  values: [before.slice(0, BUCKET_LENGTH)],
});

/** Numbers to add up: how many tasks match, exactly. */
export function totalOf(tables: Tables, parameters: Parameters, query: ArchiveQuery): string {
  const time = timeColumn(query);
  const countOneByOne = (...of: readonly string[]): string => {
    const conditions = [...conditionsOf(parameters, query), ...inStatesAndAgents(parameters, query), ...of];
    return `(SELECT count(*) FROM ${tables.tasks} WHERE ${conditions.join(' AND ')})`;
  };
  const { first, last } = endsOf(query);
  const scope = first !== undefined && first === last ? undefined : scopeOf(parameters, query);
  if (scope === undefined) return countOneByOne();
  const between = [
    scope,
    ...inStatesAndAgents(parameters, query),
    ...(first === undefined ? [] : [`bucket > ${parameters.add(first)}`]),
    ...(last === undefined ? [] : [`bucket < ${parameters.add(last)}`]),
  ];
  return [
    `(SELECT coalesce(sum(tasks), 0) FROM ${tables.counts} WHERE ${between.join(' AND ')})`,
    // All digits sort before the tilde.
    ...(first === undefined ? [] : [countOneByOne(`${time} < ${parameters.add(`${first}~`)}`)]),
    ...(last === undefined ? [] : [countOneByOne(`${time} >= ${parameters.add(last)}`)]),
  ].join(' + ');
}

/** The buckets of which a search may want a part only. */
function endsOf({ since, upto, before }: ArchiveQuery): { readonly first?: string; readonly last?: string } {
  const [end] = [upto, before].filter(Boolean).sort();
  return {
    ...(since && { first: since.slice(0, BUCKET_LENGTH) }),
    ...(end !== undefined && { last: end.slice(0, BUCKET_LENGTH) }),
  };
}

/** @returns undefined: such tasks are not counted together */
function scopeOf(parameters: Parameters, { id, owner, ownerPrefix, context, by }: ArchiveQuery): string | undefined {
  if (id !== undefined || context !== undefined) return undefined;
  if (by === 'time') {
    if (owner !== undefined) return ownerPrefix ? undefined : `scope = ${parameters.add(`o${keyOf(owner)}`)}`;
    if (!ownerPrefix || !isPrincipal(ownerPrefix) || ownerPrefix.length > SHORT) return undefined;
    const behind = ownerPrefix.replace(/\/$/, '0');
    return `scope >= ${parameters.add(`o${ownerPrefix}`)} AND scope < ${parameters.add(`o${behind}`)}`;
  }
  if (owner !== undefined) return undefined;
  if (!ownerPrefix) return "scope = 'a'";
  return isTenant(ownerPrefix) ? `scope = ${parameters.add(`t${keyOf(ownerPrefix)}`)}` : undefined;
}
