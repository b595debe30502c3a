import type { ArchiveQuery } from '@switchyard/store';
import { afterToken, conditionsOf, inStatesAndAgents, isImpossible, timeColumn } from './conditions.ts';
import { Parameters, type Statement } from './statement.ts';
import { wordQuery } from './words.ts';

/**
 * More are neither counted nor sorted: a word may be in most tasks. With 1,000, frequent words are found 3 to 37 times as
 * fast. But a word of 2,000 tasks that all ended a year ago would be looked for in all tasks since, and be given up.
 */
const MAX_SORTED = 10_000;

/**
 * A page of the tasks with some words. If they are few, all of them are found and sorted. If they are many, the words are
 * looked for in one task after the other, the latest first: a page is full soon.
 * @returns undefined: no task can match
 */
export function searchStatement(table: string, query: ArchiveQuery, typed: string): Statement | undefined {
  const words = wordQuery(typed);
  if (words === '' || isImpossible(query)) return;
  const parameters = new Parameters();
  const time = timeColumn(query);
  const conditions = [
    ...conditionsOf(parameters, query),
    ...inStatesAndAgents(parameters, query),
    `words @@ websearch_to_tsquery('simple', ${parameters.add(words)})`,
  ];
  const behind = afterToken(parameters, query);
  const latest = `ORDER BY ${time} DESC, id DESC LIMIT ${parameters.add(query.size + 1)}`;
  return {
    // With OFFSET 0, PostgreSQL plans for all matches. For the latest ones alone it would look through all tasks for a
    // word that only one has.
    text: `
      WITH found AS MATERIALIZED (
        SELECT ${time}, id FROM (
          SELECT ${time}, id FROM ${table} WHERE ${conditions.join(' AND ')} OFFSET 0
        ) AS matching LIMIT ${MAX_SORTED + 1}
      )
      SELECT least(count, ${MAX_SORTED})::float8 AS total, count > ${MAX_SORTED} AS "isPartial",
        CASE WHEN count > ${MAX_SORTED}
          THEN ARRAY(SELECT ${time} || id FROM ${table} WHERE ${[...conditions, ...behind].join(' AND ')} ${latest})
          ELSE ARRAY(SELECT ${time} || id FROM found WHERE ${['true', ...behind].join(' AND ')} ${latest})
        END AS "sortKeys"
      FROM (SELECT count(*) FROM found) AS counted`,
    values: parameters.values,
  };
}
