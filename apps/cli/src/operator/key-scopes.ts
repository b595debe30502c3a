import { defaultScopes } from '@switchyard/operator-api';
import type { SecurityRequirement } from '@switchyard/protocol';
import type { Registry } from '@switchyard/store';
import { CommandFailure } from '../failures/failure.ts';

/**
 * A mistyped scope gives no permission. Known are those of the gateway, and those that cards of agents ask for.
 * @throws {CommandFailure} it names them
 */
export async function requireKnownScopes(registry: Pick<Registry, 'list'>, scopes: readonly string[]): Promise<void> {
  const ofGateway = [...defaultScopes, 'priority', 'admin'];
  if (scopes.every((scope) => ofGateway.includes(scope))) return;
  const agents = await registry.list();
  const requirements = agents.flatMap(({ card }) => [card, ...card.skills].flatMap(requirementsOf));
  const known = [...new Set([...ofGateway, ...requirements.flatMap(scopesOf)])];
  const unknown = scopes.filter((scope) => !known.includes(scope));
  if (unknown.length === 0) return;
  throw new CommandFailure('A2ACLI_ERR_USAGE', `--scopes ${unknown.join(', ')}: there are ${known.join(', ')}`, {
    hint: 'Add --any-scope for a scope that the card of a later agent will ask for.',
  });
}

function requirementsOf({ securityRequirements = [] }: { securityRequirements?: SecurityRequirement[] }) {
  return securityRequirements;
}

function scopesOf({ schemes = {} }: SecurityRequirement): string[] {
  return Object.values(schemes).flatMap(({ list = [] }) => list);
}
