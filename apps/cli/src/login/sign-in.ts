import { z } from 'zod';
import type { Card } from '../agent/card.ts';
import { flagsFor } from '../agent/credentials.ts';
import { CommandFailure } from '../failures/failure.ts';
import { endpointOf, type IdentityFetch } from './identity-fetch.ts';

/** Where one logs in for an agent. */
export interface SignIn {
  readonly tokenUrl: string;
  /** Unset: there is no such flow. */
  readonly deviceUrl: string | undefined;
  /** Unset: there is no such flow. */
  readonly authorizationUrl: string | undefined;
  readonly revocationUrl: string | undefined;
  readonly issuer: string | undefined;
  /** What the agent needs, as far as its card says it. */
  readonly scopes: readonly string[];
}

const text = z.string().min(1).max(2_000);
const lenientText = text.optional().catch(undefined);
const flowSchema = z
  .object({
    tokenUrl: text,
    deviceAuthorizationUrl: lenientText,
    authorizationUrl: lenientText,
    scopes: z.record(z.string(), z.unknown()).catch({}),
  })
  .optional()
  .catch(undefined);
const oauth2Schema = z.object({
  flows: z.object({ deviceCode: flowSchema, authorizationCode: flowSchema }),
  oauth2MetadataUrl: lenientText,
});
const openIdSchema = z.object({ openIdConnectUrl: text });
/** OpenID Connect Discovery 3, and RFC 8414 2. */
const metadataSchema = z.object({
  issuer: text,
  token_endpoint: text,
  device_authorization_endpoint: lenientText,
  authorization_endpoint: lenientText,
  revocation_endpoint: lenientText,
  scopes_supported: z.array(z.string()).catch([]),
});
type Metadata = z.infer<typeof metadataSchema>;

/** The first security scheme of a card with which one can log in, of A2A 1.0 or 0.3. @throws {CommandFailure} */
export async function signInOf(card: Card, fetch: IdentityFetch): Promise<SignIn> {
  for (const [name, scheme] of Object.entries(card.securitySchemes ?? {})) {
    const needed = neededScopes(card, name);
    const openId = openIdSchema.safeParse(scheme.openIdConnectSecurityScheme ?? scheme).data;
    if (openId) return ofMetadata(await metadataAt(openId.openIdConnectUrl, fetch), needed);
    const oauth2 = oauth2Schema.safeParse(scheme.oauth2SecurityScheme ?? scheme).data;
    const signIn = oauth2 && (await ofFlows(oauth2, needed, fetch));
    if (signIn) return signIn;
  }
  throw unsupported(card);
}

async function ofFlows(
  { flows, oauth2MetadataUrl }: z.infer<typeof oauth2Schema>,
  needed: readonly string[],
  fetch: IdentityFetch,
): Promise<SignIn | undefined> {
  const { deviceCode, authorizationCode } = flows;
  const flow = deviceCode ?? authorizationCode;
  if (!flow) return undefined;
  // The flow has all that a login needs; metadata only add where tokens are revoked.
  const metadata = oauth2MetadataUrl && (await metadataAt(oauth2MetadataUrl, fetch).catch(() => undefined));
  return {
    tokenUrl: flow.tokenUrl,
    deviceUrl: deviceCode?.deviceAuthorizationUrl,
    authorizationUrl: authorizationCode?.authorizationUrl,
    revocationUrl: metadata ? metadata.revocation_endpoint : undefined,
    issuer: metadata ? metadata.issuer : undefined,
    scopes: needed.length > 0 ? needed : Object.keys(flow.scopes),
  };
}

function ofMetadata(metadata: Metadata, needed: readonly string[]): SignIn {
  const offline = metadata.scopes_supported.includes('offline_access') ? ['offline_access'] : [];
  return {
    tokenUrl: metadata.token_endpoint,
    deviceUrl: metadata.device_authorization_endpoint,
    authorizationUrl: metadata.authorization_endpoint,
    revocationUrl: metadata.revocation_endpoint,
    issuer: metadata.issuer,
    scopes: [...new Set(['openid', ...offline, ...needed])],
  };
}

async function metadataAt(url: string, fetch: IdentityFetch): Promise<Metadata> {
  const { origin, pathname } = endpointOf(url);
  const response = await fetch(url, { headers: { accept: 'application/json' } });
  const answer: unknown = response.ok ? await response.json().catch(() => undefined) : undefined;
  const { data, error } = metadataSchema.safeParse(answer);
  if (data) return data;
  const reason = response.ok ? `has no metadata: ${z.prettifyError(error)}` : `answered ${response.status}`;
  throw new CommandFailure('A2ACLI_ERR_UNREACHABLE', `The identity server’s ${origin}${pathname} ${reason}`);
}

const requirementsSchema = z.array(
  z.object({ schemes: z.record(z.string(), z.object({ list: z.array(z.string()) })) }),
);
const requirements03Schema = z.array(z.record(z.string(), z.array(z.string())));

/** The scopes that the card requires of a scheme. */
function neededScopes(card: Card, name: string): readonly string[] {
  const { securityRequirements, security } = card;
  const now = requirementsSchema.safeParse(securityRequirements).data ?? [];
  const before = requirements03Schema.safeParse(security).data ?? [];
  return [...now.flatMap(({ schemes }) => schemes[name]?.list ?? []), ...before.flatMap((each) => each[name] ?? [])];
}

function unsupported(card: Card): CommandFailure {
  const names = Object.keys(card.securitySchemes ?? {});
  const offered = names.length === 0 ? 'no security scheme' : `only ${names.join(', ').slice(0, 200)}`;
  const flags = flagsFor(card).join(' or ');
  return new CommandFailure(
    'SWITCHYARD_ERR_LOGIN_UNSUPPORTED',
    `The card of “${card.name}” has ${offered}: a login needs OpenID Connect, or OAuth 2.0 with a device code or an ` +
      'authorization code',
    { hint: flags && `Set ${flags}.`, exitCode: 4 },
  );
}
