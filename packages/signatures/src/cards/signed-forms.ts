import type { AgentCard } from '@switchyard/protocol';
import canonicalize from 'canonicalize';
import { withoutDefaults } from './without-defaults.ts';

/** The texts that a signature of a card may be over, as UTF-8 in the canonical form of RFC 8785. */
export interface SignedForms {
  /** As the specification has it (A2A 8.4.1): required fields are there even when they are empty. */
  readonly exact: string;
  /** As the published SDKs have it: nothing that is empty, at any depth. For most cards the same. */
  readonly lean: string;
}

export function signedForms(card: AgentCard): SignedForms {
  const exact = withoutDefaults(card);
  return { exact: canonical(exact), lean: canonical(withoutEmpty(exact) ?? {}) };
}

function canonical(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('A card is JSON');
  return text;
}

/** Undefined for what is empty, or has nothing in it that is not. */
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
