import type { EndedRange } from '@switchyard/store';
import { isTenant, TIME_LENGTH } from './conditions.ts';
import { keyOf } from './keyed-texts.ts';
import { Parameters, type Statement } from './statement.ts';

/**
 * Tasks of a tenant, or of a principal, in the order of their end.
 *
 * An index has their tasks of a state in order: the earliest of each are merged. PostgreSQL takes no other index for
 * this order. It would look through tasks of all tenants by their end, although those of this one may all have ended in
 * the last week. The index of principals has the time of the status, which of an ended task is its end.
 */
export function endedStatement(
  table: string,
  ownerPrefix: string,
  { after, since, upto, before, letters, size }: EndedRange,
): Statement {
  const [owner, time] = isTenant(ownerPrefix) ? ['tenant_key', 'ended_at'] : ['principal_key', 'time'];
  const parameters = new Parameters();
  const [key, limit] = [parameters.add(keyOf(ownerPrefix)), parameters.add(size)];
  const [last, id] = [after.slice(0, TIME_LENGTH), after.slice(TIME_LENGTH)];
  const [from, behind] = since > last ? [since, ''] : [last, id];
  const page = `
    SELECT ${time} AS at, id FROM ${table}
    WHERE (${owner}, letter, ${time}, id) > (${key}, one_letter, ${parameters.add(from)}, ${parameters.add(behind)})
      AND (${owner}, letter, ${time}) < (${key}, one_letter, ${parameters.add(before)})
      ${upto ? `AND (${owner}, letter, ${time}) <= (${key}, one_letter, ${parameters.add(upto)})` : ''}
    ORDER BY ${owner}, letter, ${time}, id LIMIT ${limit}`;
  return {
    text: `
      SELECT at || id AS "sortKey"
      FROM unnest(${parameters.add([...letters])}::text[]) AS one_letter, LATERAL (${page}) AS found
      ORDER BY at, id LIMIT ${limit}`,
    values: parameters.values,
  };
}
