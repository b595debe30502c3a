import type { ArchiveQuery } from '@switchyard/store';
import { afterToken, conditionsOf, inStatesAndAgents, isImpossible, timeColumn } from './conditions.ts';
import { totalOf } from './counts.ts';
import { keyOf } from './keyed-texts.ts';
import { Parameters, type Statement } from './statement.ts';
import type { Tables } from './tables.ts';

/**
 * One statement for the page and the total, so that both are of the same moment.
 * @returns undefined: no task can match
 */
export function findStatement(tables: Tables, query: ArchiveQuery): Statement | undefined {
  if (isImpossible(query)) return;
  const parameters = new Parameters();
  const time = timeColumn(query);
  const latest = `ORDER BY ${time} DESC, id DESC LIMIT ${parameters.add(query.size + 1)}`;
  const page = (conditions: readonly string[]): string =>
    `SELECT ${time} AS at, id FROM ${tables.tasks} WHERE ${conditions.join(' AND ')} ${latest}`;
  const others = [...conditionsOf(parameters, query), ...afterToken(parameters, query)];
  const found = isInOrder(query)
    ? latestOfEach(parameters, query, (ofOne) => page([...others, ...ofOne]))
    : `(${page([...others, ...inStatesAndAgents(parameters, query)])}) AS found`;
  return {
    text: `
      SELECT (${totalOf(tables, parameters, query)})::float8 AS total,
        ARRAY(
          SELECT at || id FROM ${found} ORDER BY at DESC, id DESC LIMIT ${parameters.add(query.size + 1)}
        ) AS "sortKeys"`,
    values: parameters.values,
  };
}

/** Contexts have few tasks, and no index with states. */
const isInOrder = ({ id, context }: ArchiveQuery): boolean => id === undefined && context === undefined;

/** An index has the tasks of one state, and without an owner of one agent, in order: the latest of each are merged. */
function latestOfEach(
  parameters: Parameters,
  { letters, agents, owner, ownerPrefix }: ArchiveQuery,
  page: (ofOne: readonly string[]) => string,
): string {
  const each = (texts: Iterable<string>, name: string): string =>
    `unnest(${parameters.add([...new Set(texts)])}::text[]) AS ${name}`;
  const [ofLetter, keys] = ['letter = one_letter', agents?.map(keyOf)];
  if (!keys) return `${each(letters, 'one_letter')}, LATERAL (${page([ofLetter])}) AS found`;
  if (owner !== undefined || ownerPrefix) {
    const ofAgents = `agent_key = ANY(${parameters.add(keys)}::text[])`;
    return `${each(letters, 'one_letter')}, LATERAL (${page([ofLetter, ofAgents])}) AS found`;
  }
  const both = `${each(letters, 'one_letter')}, ${each(keys, 'one_agent')}`;
  return `${both}, LATERAL (${page([ofLetter, 'agent_key = one_agent'])}) AS found`;
}
