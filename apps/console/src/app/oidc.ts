import { z } from 'zod';
import { go } from './route.ts';

const oidcSchema = z.object({
  issuer: z.url(),
  clientId: z.string(),
  audience: z.string(),
  scopes: z.string(),
  /** Unset: the gateway cannot reach the issuer now. */
  endpoints: z.object({ authorizationEndpoint: z.url(), tokenEndpoint: z.url() }).optional(),
});
const optionsSchema = z.object({ oidc: oidcSchema.optional() });
const tokenSchema = z.object({ access_token: z.string() });
/** State that this tab keeps while its user is at the issuer. */
const pendingSchema = z.object({ state: z.string(), verifier: z.string(), returnTo: z.string() });

export type Oidc = z.infer<typeof oidcSchema>;

const pendingName = 'switchyard.sign-in';
const returnPath = '/console/signed-in';
const returnAddress = location.origin + returnPath;

/** How to sign in at an issuer; undefined: only with a key. */
export async function readOidc(): Promise<Oidc | undefined> {
  return optionsSchema.parse(await json('/console/sign-in.json')).oidc;
}

/** Redirects to the issuer (OAuth 2.0 with PKCE, RFC 7636). */
export async function leaveForIssuer(oidc: Oidc): Promise<void> {
  const { authorizationEndpoint } = endpointsOf(oidc);
  if (!isSecureContext) throw new Error('Signing in at the issuer needs https, or a tunnel to localhost.');
  const [state, verifier] = [randomText(), randomText()];
  const pending = { state, verifier, returnTo: location.pathname.replace(/^\/console/, '') + location.search };
  sessionStorage.setItem(pendingName, JSON.stringify(pending));
  const url = new URL(authorizationEndpoint);
  const challenge = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
  const asked = {
    response_type: 'code',
    client_id: oidc.clientId,
    redirect_uri: returnAddress,
    scope: oidc.scopes,
    audience: oidc.audience,
    ...(URL.canParse(oidc.audience) && { resource: oidc.audience }),
    state,
    code_challenge: base64Url(new Uint8Array(challenge)),
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(asked)) url.searchParams.set(name, value);
  location.assign(url);
}

/** The token, if the issuer has just redirected back. Restores the previous page. @throws the issuer's error */
export async function tokenOfRedirect(): Promise<string | undefined> {
  if (location.pathname !== returnPath) return undefined;
  const answer = new URLSearchParams(location.search);
  const pending = sessionStorage.getItem(pendingName);
  sessionStorage.removeItem(pendingName);
  const { data } = pendingSchema.safeParse(JSON.parse(pending ?? 'null'));
  go(data?.returnTo ?? '/tasks', { replaces: true });
  const code = answer.get('code');
  if (!data || answer.get('state') !== data.state)
    throw new Error('The answer of the issuer does not belong to a request of this tab.');
  if (!code) throw new Error(answer.get('error_description') ?? answer.get('error') ?? 'The issuer sent no code.');
  const oidc = await readOidc();
  return oidc && exchange(oidc, { code, verifier: data.verifier });
}

async function exchange(oidc: Oidc, { code, verifier }: { readonly code: string; readonly verifier: string }) {
  const { tokenEndpoint } = endpointsOf(oidc);
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    client_id: oidc.clientId,
    redirect_uri: returnAddress,
    code,
    code_verifier: verifier,
  });
  return tokenSchema.parse(await json(tokenEndpoint, { method: 'POST', body })).access_token;
}

function endpointsOf({ issuer, endpoints }: Oidc) {
  if (endpoints) return endpoints;
  throw new Error(`The gateway cannot reach ${new URL(issuer).host} right now: reload the page in a moment.`);
}

async function json(url: string, how?: RequestInit): Promise<unknown> {
  const response = await fetch(url, how);
  if (!response.ok) throw new Error(`${new URL(url, location.href).host} answered with ${response.status}.`);
  return response.json();
}

function randomText(): string {
  return base64Url(crypto.getRandomValues(new Uint8Array(32)));
}

function base64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}
