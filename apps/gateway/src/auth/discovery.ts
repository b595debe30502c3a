import type { GuardedClient } from '@switchyard/outgoing';
import { z } from 'zod';

const metadataSchema = z.looseObject({ issuer: z.string() });

/** Where an issuer describes itself (OpenID Connect Discovery 4). */
export function discoveryUrl(issuer: string): string {
  return `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
}

/**
 * What an issuer says of itself (OpenID Connect Discovery 4).
 * @throws {Error} it cannot be read, or is that of another issuer
 */
export async function discover(client: GuardedClient, issuer: string): Promise<Readonly<Record<string, unknown>>> {
  const metadata = metadataSchema.parse(await readJson(client, discoveryUrl(issuer)));
  if (metadata.issuer !== issuer) throw new Error('The configuration at this address is that of another issuer');
  return metadata;
}

/** Of a server of the issuer. @throws {Error} it does not answer with 200 and JSON */
export async function readJson(client: GuardedClient, url: string): Promise<unknown> {
  const response = await client.fetch(url, { headers: { accept: 'application/json' } });
  if (response.status === 200) return response.json();
  await response.body?.cancel();
  throw new Error(`The issuer has answered with ${response.status}`);
}
