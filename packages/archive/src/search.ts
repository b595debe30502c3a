import type { ArchiveQuery } from '@switchyard/store';
import { afterToken, conditionsOf, inStatesAndAgents, isImpossible, timeColumn } from './conditions.ts';
import { Parameters, type Statement } from './statement.ts';
import { wordQuery } from './words.ts';

/** More are not counted: a word may be in most tasks. */
const COUNTED_MATCHES = 1_000;

/**
 * A page of the tasks with some words. PostgreSQL decides by its statistics whether it looks for all tasks with the
 * words, or for the words in one task after the other, the latest first.
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
  const page = [...conditions, ...afterToken(parameters, query)].join(' AND ');
  return {
    text: `
      SELECT least(count, ${COUNTED_MATCHES})::float8 AS total, count > ${COUNTED_MATCHES} AS "isPartial",
        ARRAY(SELECT ${time} || id FROM ${table} WHERE ${page}
          ORDER BY ${time} DESC, id DESC LIMIT ${parameters.add(query.size + 1)}) AS entries
      FROM (SELECT count(*) FROM (SELECT FROM ${table} WHERE ${conditions.join(' AND ')} LIMIT ${COUNTED_MATCHES + 1}) AS found) AS all_found`,
    values: parameters.values,
  };
}
