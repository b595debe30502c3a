import type { Card } from '../agent/card.ts';
import { field } from './labelled-text.ts';

/** @param signature result of its verification; @param problems undefined: not validated */
export function cardText(card: Card, { signature, problems }: { signature: string; problems?: readonly string[] }) {
  const { name, description, version, capabilities = {}, supportedInterfaces = [], skills = [] } = card;
  return [
    field('Name', name),
    field('Description', description),
    field('Version', version),
    ...(['streaming', 'pushNotifications', 'extendedAgentCard'] as const).map((each) =>
      field('Capability', `${each} ${capabilities[each] ? 'yes' : 'no'}`),
    ),
    ...supportedInterfaces.map(({ protocolBinding, protocolVersion, url, tenant }) =>
      field('Interface', `${protocolBinding} ${protocolVersion ?? ''} ${url}${tenant ? ` tenant ${tenant}` : ''}`),
    ),
    ...Object.entries(card.securitySchemes ?? {}).map(([id, scheme]) =>
      field('Security', `${id} ${Object.keys(scheme)[0] ?? ''} ${JSON.stringify(Object.values(scheme)[0] ?? {})}`),
    ),
    ...skills.map((skill) => field('Skill', [skill.id, skill.name].filter(Boolean).join(' '))),
    field('Signature', signature),
    ...(problems === undefined ? [] : [field('Valid', problems.length === 0 ? 'yes' : 'no')]),
    ...(problems ?? []).map((problem) => field('Problem', problem)),
  ].join('');
}
