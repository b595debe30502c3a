import type { ArchiveQuery } from '@switchyard/store';
import { hasNul, keyOf } from './keyed-texts.ts';
import type { Parameters } from './statement.ts';

/** Times in sort keys have this length: see `sortableTime`. */
export const TIME_LENGTH = 8;

/** A query with what PostgreSQL cannot store, or without agents. */
export function isImpossible({ id, owner, ownerPrefix, context, agents, token }: ArchiveQuery): boolean {
  const texts = [id, owner, ownerPrefix, context, token, ...(agents ?? [])];
  return agents?.length === 0 || texts.some((text = '') => hasNul(text));
}

export const timeColumn = ({ by }: ArchiveQuery): string => (by === 'time' ? 'time' : 'ended_at');

/** All but those of states, agents and words. */
export function conditionsOf(parameters: Parameters, query: ArchiveQuery): readonly string[] {
  const { id, owner, ownerPrefix, context, since, upto, before } = query;
  const time = timeColumn(query);
  return [
    ...(id === undefined ? [] : [`id = ${parameters.add(id)}`]),
    ...(owner === undefined ? [] : [`owner_key = ${parameters.add(keyOf(owner))}`]),
    ...(ownerPrefix ? [ownedBy(parameters, ownerPrefix)] : []),
    ...(context === undefined ? [] : [`context_key = ${parameters.add(keyOf(context))}`]),
    ...(since ? [`${time} >= ${parameters.add(since)}`] : []),
    ...(upto ? [`${time} <= ${parameters.add(upto)}`] : []),
    ...(before ? [`${time} < ${parameters.add(before)}`] : []),
  ];
}

/** Of a state, and of an agent if the query names some. */
export function inStatesAndAgents(parameters: Parameters, { letters, agents }: ArchiveQuery): readonly string[] {
  const ofAgents = agents && `agent_key = ANY(${parameters.add(agents.map(keyOf))}::text[])`;
  return [`letter = ANY(${parameters.add([...letters])}::text[])`, ...(ofAgents ? [ofAgents] : [])];
}

/** What comes behind the page before. */
export function afterToken(parameters: Parameters, query: ArchiveQuery): readonly string[] {
  const { token } = query;
  if (token === '') return [];
  const [time, id] = [token.slice(0, TIME_LENGTH), token.slice(TIME_LENGTH)];
  return [`(${timeColumn(query)}, id) < (${parameters.add(time)}, ${parameters.add(id)})`];
}

/** Tenants and principals have an index; other beginnings are compared with each owner. */
function ownedBy(parameters: Parameters, prefix: string): string {
  if (isTenant(prefix)) return `tenant_key = ${parameters.add(keyOf(prefix))}`;
  if (isPrincipal(prefix)) return `principal_key = ${parameters.add(keyOf(prefix))}`;
  return `starts_with(owner, ${parameters.add(prefix)})`;
}

/** `tenant/` */
export const isTenant = (prefix: string): boolean => /^[^/]*\/$/.test(prefix);
/** `tenant/subject/` */
export const isPrincipal = (prefix: string): boolean => /^[^/]*\/[^/]*\/$/.test(prefix);
