import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';

/** An issuer of tokens on this machine, with discovery. */
export interface Issuer extends AsyncDisposable {
  readonly url: string;
  /** The published keys; tests take out and put in. */
  readonly published: JWK[];
  /** Adds a key to the published ones. */
  newKey(kid: string, alg?: string): Promise<CryptoKey>;
  /** A token of its first key, valid for the audience `switchyard`, with other claims or header fields if they are given. */
  token(claims?: JWTPayload, header?: { readonly kid?: string; readonly [name: string]: unknown }): Promise<string>;
  /** How often its keys were read. */
  readonly requests: () => number;
  /** Answers 500 from now on, or no longer. */
  breakDown(isDown: boolean): void;
  /** Its configuration names this address from now on. */
  claimKeysAt(url: string): void;
}

export async function openIssuer(): Promise<Issuer> {
  let requests = 0;
  let isDown = false;
  let keysUrl: string | undefined;
  const published: JWK[] = [];
  const privateKeys = new Map<string, { readonly key: CryptoKey; readonly alg: string }>();
  const server = createServer((req, res) => {
    if (isDown) return void res.writeHead(500).end();
    const isDiscovery = req.url === '/.well-known/openid-configuration';
    if (!isDiscovery) requests++;
    const answer = isDiscovery ? { issuer: url, jwks_uri: keysUrl ?? `${url}/keys` } : { keys: published };
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
  return {
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
}
