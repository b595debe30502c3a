import type { AgentCard } from '@switchyard/protocol';
import canonicalize from 'canonicalize';
import { withoutDefaults } from './without-defaults.ts';

/** The two forms of a card that a signature may cover: canonical JSON (RFC 8785), signed as UTF-8. */
export interface SignedForms {
  /** As the specification defines it (A2A 8.4.1): with required fields, even if they are empty. */
  readonly exact: string;
  /** As the published SDKs sign it: without empty values, at any depth. For most cards the two forms are equal. */
  readonly lean: string;
}

export function signedForms(card: AgentCard): SignedForms {
  const exact = withoutDefaults(card);
  return { exact: canonical(exact), lean: canonical(withoutEmpty(exact) ?? {}) };
}

function canonical(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('The card cannot be written as JSON');
  return text;
}

/** Removes empty values, recursively. Undefined if nothing is left. */
function withoutEmpty(value: unknown): unknown {
  if (value === '' || value === null) return undefined;
  if (typeof value !== 'object') return value;
  if (Array.isArray(value)) {
    const entries = value.map(withoutEmpty).filter((entry) => entry !== undefined);
    return entries.length > 0 ? entries : undefined;
  }
  const fields = Object.entries(value ?? {})
    .map(([name, field]): [string, unknown] => [name, withoutEmpty(field)])
    .filter(([, field]) => field !== undefined);
  return fields.length > 0 ? Object.fromEntries(fields) : undefined;
}
