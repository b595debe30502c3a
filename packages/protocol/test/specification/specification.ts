import { cardObjects } from './agent-card.ts';
import type { ObjectDefinition } from './field.ts';
import { objects } from './objects.ts';
import { requests } from './requests.ts';
import { securityObjects } from './security.ts';

/** Every message of the protobuf definition of A2A 1.0.1, which is normative (§1.4), with all its fields. */
export const specification: Readonly<Record<string, ObjectDefinition>> = {
  ...objects,
  ...cardObjects,
  ...securityObjects,
  ...requests,
};

/** An object by its name. */
export function definitionOf(name: string): ObjectDefinition {
  const definition = specification[name];
  if (!definition) throw new Error(`No such object: ${name}`);
  return definition;
}
