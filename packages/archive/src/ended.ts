import type { EndedRange } from '@switchyard/store';
import { isTenant, ownedBy, TIME_LENGTH } from './conditions.ts';
import { keyOf } from './keyed-texts.ts';
import { Parameters, type Statement } from './statement.ts';

/** Tasks of a tenant, or of a principal, in the order of their end. */
export function endedStatement(table: string, ownerPrefix: string, range: EndedRange): Statement {
  return isTenant(ownerPrefix) ? ofTenant(table, ownerPrefix, range) : ofPrincipal(table, ownerPrefix, range);
}

/**
 * An index has the tasks of a tenant and a state in order: the earliest of each are merged. PostgreSQL takes no other
 * index for this order. It would look through tasks of all tenants by their end, although those of this one may all have
 * ended in the last week.
 */
function ofTenant(table: string, tenant: string, { after, since, upto, before, letters, size }: EndedRange): Statement {
  const parameters = new Parameters();
  const [key, limit] = [parameters.add(keyOf(tenant)), parameters.add(size)];
  const [time, id] = [after.slice(0, TIME_LENGTH), after.slice(TIME_LENGTH)];
  const [from, behind] = since > time ? [since, ''] : [time, id];
  const page = `
    SELECT ended_at, id FROM ${table}
    WHERE (tenant_key, letter, ended_at, id) > (${key}, one_letter, ${parameters.add(from)}, ${parameters.add(behind)})
      AND (tenant_key, letter, ended_at) < (${key}, one_letter, ${parameters.add(before)})
      ${upto ? `AND (tenant_key, letter, ended_at) <= (${key}, one_letter, ${parameters.add(upto)})` : ''}
    ORDER BY tenant_key, letter, ended_at, id LIMIT ${limit}`;
  return {
    text: `
      SELECT ended_at || id AS entry
      FROM unnest(${parameters.add([...letters])}::text[]) AS one_letter, LATERAL (${page}) AS found
      ORDER BY ended_at, id LIMIT ${limit}`,
    values: parameters.values,
  };
}

function ofPrincipal(
  table: string,
  principal: string,
  { after, since, upto, before, letters, size }: EndedRange,
): Statement {
  const parameters = new Parameters();
  const [time, id] = [after.slice(0, TIME_LENGTH), after.slice(TIME_LENGTH)];
  const conditions = [
    ownedBy(parameters, principal),
    `letter = ANY(${parameters.add([...letters])}::text[])`,
    `ended_at < ${parameters.add(before)}`,
    ...(since ? [`ended_at >= ${parameters.add(since)}`] : []),
    ...(upto ? [`ended_at <= ${parameters.add(upto)}`] : []),
    ...(after ? [`(ended_at, id) > (${parameters.add(time)}, ${parameters.add(id)})`] : []),
  ];
  return {
    text: `SELECT ended_at || id AS entry FROM ${table} WHERE ${conditions.join(' AND ')}
      ORDER BY ended_at, id LIMIT ${parameters.add(size)}`,
    values: parameters.values,
  };
}
