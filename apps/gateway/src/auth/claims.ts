import type { Principal } from '@switchyard/protocol';
import { z } from 'zod';
import type { JwtSettings } from '../settings/identity-settings.ts';

/** Names of tenants and subjects become parts of keys in Redis. */
const nameSchema = z.string().min(1).max(256);
/** Words apart by blanks (RFC 8693 4.2), or an array of them. */
const wordsSchema = z.union([z.string().transform((text) => text.split(' ')), z.array(z.string())]).default([]);

export interface ClaimedIdentity {
  readonly principal: Principal;
  readonly scopes: readonly string[];
  readonly agents: readonly string[] | undefined;
}

/** @param payload of a verified token. @returns who it is for; text: what is wrong with it */
export function readClaims(
  payload: Readonly<Record<string, unknown>>,
  { claims, defaultTenant, scopePrefix }: JwtSettings,
): ClaimedIdentity | string {
  const read = <T>(schema: z.ZodType<T>, name: string): T | undefined => schema.safeParse(payload[name]).data;
  const subject = read(nameSchema, claims.subject);
  if (subject === undefined) return `has a wrong or no claim ${claims.subject}`;
  const isWithoutTenant = payload[claims.tenant] === undefined && defaultTenant !== undefined;
  const tenant = isWithoutTenant ? defaultTenant : read(nameSchema, claims.tenant);
  if (tenant === undefined) return `has a wrong or no claim ${claims.tenant}`;
  const named = [...new Set(claims.scopes.flatMap((name) => read(wordsSchema, name) ?? []))];
  const scopes = named.filter((scope) => scope.startsWith(scopePrefix)).map((scope) => scope.slice(scopePrefix.length));
  const agents = payload[claims.agents] === undefined ? undefined : (read(wordsSchema, claims.agents) ?? []);
  return { principal: { tenant, subject, scopes }, scopes, agents };
}
