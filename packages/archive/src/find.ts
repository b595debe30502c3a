import type { ArchiveQuery } from '@switchyard/store';
import { hasNul, keyOf } from './keyed-texts.ts';
import { Parameters, type Statement } from './statement.ts';

/** Times in sort keys have this length: see `sortableTime`. */
const TIME_LENGTH = 8;

/**
 * One statement for the page and the total: the page is read along an index, the total counted in one.
 * @returns undefined: no task can match
 */
export function findStatement(table: string, query: ArchiveQuery): Statement | undefined {
  if (isImpossible(query)) return;
  const { ownerPrefix = '', agents = [], size } = query;
  const parameters = new Parameters();
  const time = timeColumn(query);
  const limit = parameters.add(size + 1);
  const isMerged = agents.length > 1 && query.owner === undefined && ownerPrefix === '';
  const others = conditionsOf(parameters, query);
  const all = agents.length > 0 ? parameters.add(agents.map(keyOf)) : '';
  // Of one agent, an index is in order.
  const ofAgents =
    agents.length > 1 ? `AND agent_key = ANY(${all}::text[])` : all && `AND agent_key = (${all}::text[])[1]`;
  const after = afterToken(parameters, query);
  const page = (ofAgent: string): string =>
    `SELECT ${time}, id FROM ${table} WHERE ${others} ${ofAgent} ${after} ORDER BY ${time} DESC, id DESC LIMIT ${limit}`;
  // PostgreSQL reads an index in order for one agent, not for several: the latest of each are merged.
  const found = isMerged
    ? `SELECT found.* FROM unnest(${all}::text[]) AS agent, LATERAL (${page('AND agent_key = agent')}) AS found`
    : page(ofAgents);
  return {
    text: `
      SELECT (SELECT count(*) FROM ${table} WHERE ${others} ${ofAgents})::float8 AS total,
        ARRAY(SELECT ${time} || id FROM (${found}) AS found ORDER BY ${time} DESC, id DESC LIMIT ${limit}) AS entries`,
    values: parameters.values,
  };
}

/** A query with what PostgreSQL cannot store, or without agents. */
export function isImpossible({ id, owner, ownerPrefix, context, agents, token }: ArchiveQuery): boolean {
  return (
    agents?.length === 0 ||
    [id, owner, ownerPrefix, context, token, ...(agents ?? [])].some((text = '') => hasNul(text))
  );
}

export const timeColumn = ({ by }: ArchiveQuery): string => (by === 'time' ? 'time' : 'ended_at');

/** All but those of agents and words. */
export function conditionsOf(parameters: Parameters, query: ArchiveQuery): string {
  const { id, owner, ownerPrefix, context, letters, since, upto, before } = query;
  const time = timeColumn(query);
  return [
    `letter = ANY(${parameters.add([...letters])}::text[])`,
    ...(id === undefined ? [] : [`id = ${parameters.add(id)}`]),
    ...(owner === undefined ? [] : [`owner_key = ${parameters.add(keyOf(owner))}`]),
    ...(ownerPrefix ? [ownedBy(parameters, ownerPrefix)] : []),
    ...(context === undefined ? [] : [`context_key = ${parameters.add(keyOf(context))}`]),
    ...(since ? [`${time} >= ${parameters.add(since)}`] : []),
    ...(upto ? [`${time} <= ${parameters.add(upto)}`] : []),
    ...(before ? [`${time} < ${parameters.add(before)}`] : []),
  ].join(' AND ');
}

/** What comes behind the page before, with an AND. */
export function afterToken(parameters: Parameters, query: ArchiveQuery): string {
  const { token } = query;
  const [time, id] = [token.slice(0, TIME_LENGTH), token.slice(TIME_LENGTH)];
  return token && `AND (${timeColumn(query)}, id) < (${parameters.add(time)}, ${parameters.add(id)})`;
}

/** Tenants and principals have an index; other beginnings are compared with each owner. */
export function ownedBy(parameters: Parameters, prefix: string): string {
  if (/^[^/]*\/$/.test(prefix)) return `tenant_key = ${parameters.add(keyOf(prefix))}`;
  if (/^[^/]*\/[^/]*\/$/.test(prefix)) return `principal_key = ${parameters.add(keyOf(prefix))}`;
  return `starts_with(owner, ${parameters.add(prefix)})`;
}
