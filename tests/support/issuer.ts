import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';

/** A token issuer on this machine, with discovery. */
export interface Issuer extends AsyncDisposable {
  readonly url: string;
  /** The published keys, which tests can change. */
  readonly published: JWK[];
  /** Adds a key to the published ones. */
  newKey(kid: string, alg?: string): Promise<CryptoKey>;
  /** A token by its first key, valid for the audience `switchyard`, with these claims and header fields. */
  token(claims?: JWTPayload, header?: { readonly kid?: string; readonly [name: string]: unknown }): Promise<string>;
  /** Number of requests for its keys. */
  readonly requests: () => number;
  /** Whether it answers 500. */
  breakDown(isDown: boolean): void;
  /** From now on its configuration names this URL of its keys. */
  claimKeysAt(url: string): void;
  /** From now on its token endpoint is on this host: for a browser, `localhost` is another origin. */
  claimTokensAt(host: '127.0.0.1' | 'localhost'): void;
}

export async function openIssuer(): Promise<Issuer> {
  let requests = 0;
  let isDown = false;
  let keysUrl: string | undefined;
  let tokenHost = '127.0.0.1';
  const published: JWK[] = [];
  const privateKeys = new Map<string, { readonly key: CryptoKey; readonly alg: string }>();
  const signIns = new SignIns((scope) => issuer.token({ scope }));
  const server = createServer((req, res) => {
    if (isDown) return void res.writeHead(500).end();
    if (signIns.serves(req)) return void signIns.serve(req, res);
    const isDiscovery = req.url === '/.well-known/openid-configuration';
    if (!isDiscovery) requests++;
    const endpoints = {
      authorization_endpoint: `${url}/authorize`,
      token_endpoint: `${url.replace('127.0.0.1', tokenHost)}/token`,
    };
    const configuration = { issuer: url, jwks_uri: keysUrl ?? `${url}/keys`, ...endpoints };
    const answer = isDiscovery ? configuration : { keys: published };
    res.setHeader('access-control-allow-origin', '*');
    res.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const newKey = async (kid: string, alg = 'ES256'): Promise<CryptoKey> => {
    const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
    published.push({ ...(await exportJWK(publicKey)), kid, alg, use: 'sig' });
    privateKeys.set(kid, { key: privateKey, alg });
    return privateKey;
  };
  await newKey('first');
  const issuer: Issuer = {
    url,
    published,
    newKey,
    requests: () => requests,
    breakDown: (broken) => {
      isDown = broken;
    },
    claimKeysAt: (elsewhere) => {
      keysUrl = elsewhere;
    },
    claimTokensAt: (host) => {
      tokenHost = host;
    },
    async token(claims = {}, { kid = 'first', ...header } = {}) {
      const known = privateKeys.get(kid);
      if (!known) throw new Error(`the issuer has no key ${kid}`);
      const now = Math.floor(Date.now() / 1_000);
      const usual = { iss: url, aud: 'switchyard', sub: 'alice', tenant: 'acme', scope: 'send read cancel push' };
      return new SignJWT({ ...usual, iat: now, exp: now + 300, ...claims })
        .setProtectedHeader({ alg: known.alg, kid, ...header })
        .sign(known.key);
    },
    [Symbol.asyncDispose]: () => new Promise((resolve) => void server.close(() => resolve()).closeAllConnections()),
  };
  return issuer;
}

/** Signs everybody in, as a public client with PKCE (RFC 7636). */
class SignIns {
  readonly #codes = new Map<string, { readonly challenge: string; readonly scope: string }>();
  readonly #tokenFor: (scope: string) => Promise<string>;

  constructor(tokenFor: (scope: string) => Promise<string>) {
    this.#tokenFor = tokenFor;
  }

  serves({ url }: IncomingMessage): boolean {
    return /^\/(?:authorize\?|token$)/.test(url ?? '');
  }

  async serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { pathname, searchParams: asked } = new URL(req.url ?? '', 'http://issuer');
    if (pathname === '/authorize') return this.#redirect(asked, res);
    const given = new URLSearchParams(await text(req));
    const known = this.#codes.get(given.get('code') ?? '');
    this.#codes.delete(given.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(given.get('code_verifier') ?? '')
      .digest('base64url');
    res.setHeader('access-control-allow-origin', '*').setHeader('content-type', 'application/json');
    if (known?.challenge !== challenge) return void res.writeHead(400).end('{"error":"invalid_grant"}');
    res.end(JSON.stringify({ token_type: 'Bearer', access_token: await this.#tokenFor(known.scope) }));
  }

  #redirect(asked: URLSearchParams, res: ServerResponse): void {
    const code = randomUUID();
    this.#codes.set(code, { challenge: asked.get('code_challenge') ?? '', scope: asked.get('scope') ?? '' });
    const back = new URL(asked.get('redirect_uri') ?? '');
    back.searchParams.set('code', code);
    back.searchParams.set('state', asked.get('state') ?? '');
    res.writeHead(302, { location: back.href }).end();
  }
}
