import { AddressPolicy, guardedClient } from '@switchyard/outgoing';
import type { AgentCard } from '@switchyard/protocol';
import { z } from 'zod';
import { RemoteError } from '../answers/remote-error.ts';
import type { OAuth2Settings, RemoteAuth } from './auth-settings.ts';
import { OAuth2Tokens } from './oauth2-tokens.ts';
import { TokenFile } from './token-file.ts';
import { isLoopbackName, requestToken } from './token-request.ts';
import type { TokenSource } from './token-source.ts';

interface AuthSettings {
  readonly auth?: RemoteAuth;
  readonly trustedOrigins?: readonly string[];
}

/** Longest wait for a token, in milliseconds. */
const timeoutMs = 10_000;
/** Largest answer of a token endpoint. */
const maxBytes = 256 * 1024;

/** All parts that use the same settings share their tokens. */
const sources = new WeakMap<RemoteAuth, TokenSource>();
/** Token endpoints that cards have named, at origins that the settings trust. */
const learned = new WeakMap<RemoteAuth, string>();

/** The tokens for an agent. Undefined: its settings ask for none. */
export function tokensOf({ auth }: AuthSettings): TokenSource | undefined {
  if (!auth) return undefined;
  const source = sources.get(auth) ?? open(auth);
  sources.set(auth, source);
  return source;
}

/** Call it with each card: it may name the token endpoint, unless the settings do. */
export function learnTokenUrl({ auth, trustedOrigins = [] }: AuthSettings, { securitySchemes }: AgentCard): void {
  if (!auth?.oauth2 || auth.oauth2.tokenUrl !== undefined) return;
  const urls = Object.values(securitySchemes ?? {}).flatMap((scheme) => tokenUrlSchema.safeParse(scheme).data ?? []);
  const origins = trustedOrigins.filter((url) => URL.canParse(url)).map((url) => new URL(url).origin);
  const url = urls.find((each) => URL.canParse(each) && origins.includes(new URL(each).origin));
  if (url !== undefined) learned.set(auth, url);
}

const tokenUrlSchema = z
  .object({
    oauth2SecurityScheme: z.object({ flows: z.object({ clientCredentials: z.object({ tokenUrl: z.string() }) }) }),
  })
  .transform(({ oauth2SecurityScheme: { flows } }) => flows.clientCredentials.tokenUrl);

function open(auth: RemoteAuth): TokenSource {
  const { oauth2 } = auth;
  if (!oauth2) return new TokenFile(auth.tokenFile);
  return new OAuth2Tokens(oauth2, async (subjectToken) => {
    const tokenUrl = tokenUrlOf(oauth2, learned.get(auth));
    const policy = new AddressPolicy({ allowHttp: false, allowHosts: [], trustedOrigins: [tokenUrl.origin] });
    const client = guardedClient({ policy, timeoutMs, maxBytes });
    try {
      return await requestToken({ tokenUrl, settings: oauth2, subjectToken, fetch: client.fetch });
    } finally {
      await client.destroy();
    }
  });
}

/** @throws {RemoteError} there is none, or it has no TLS */
function tokenUrlOf({ tokenUrl }: OAuth2Settings, ofCard: string | undefined): URL {
  const text = tokenUrl ?? ofCard;
  if (text === undefined || !URL.canParse(text))
    throw new RemoteError('refused', 'it has no token endpoint: set tokenUrl, or trust the origin that its card names');
  const url = new URL(text);
  if (url.protocol === 'https:' || isLoopbackName(url.hostname)) return url;
  throw new RemoteError('refused', `its token endpoint ${url.origin}${url.pathname} must begin with https://`);
}
