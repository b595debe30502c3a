import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

interface Lives {
  /** Of access tokens, in seconds. */
  readonly accessS?: number;
  /** Of device codes, in seconds. */
  readonly deviceS?: number;
}

/** A real identity server with one public client: it has accounts of any name, with any password. */
export async function identityServer({ accessS = 3_600, deviceS = 600 }: Lives = {}) {
  const requests: string[] = [];
  const audiences = new Set<unknown>();
  let handler: RequestListener = (_, response) => response.end();
  const server = createServer((request: IncomingMessage, response) => {
    requests.push((request.url ?? '').replace(/\?.*/, ''));
    handler(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(url, {
    clients: [
      {
        client_id: 'the-command',
        application_type: 'native',
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', 'refresh_token', deviceGrant],
        response_types: ['code'],
        redirect_uris: ['http://127.0.0.1/callback'],
      },
    ],
    extraParams: ['audience'],
    scopes: ['openid', 'offline_access', 'agents'],
    features: { deviceFlow: { enabled: true }, revocation: { enabled: true } },
    ttl: { AccessToken: accessS, DeviceCode: deviceS, RefreshToken: 3_600, Grant: 3_600, Session: 3_600 },
    rotateRefreshToken: true,
    findAccount: (_, id) => ({ accountId: id, claims: async () => ({ sub: id }) }),
  });
  // It names none itself, and the usual interval of five seconds is long for a test.
  provider.use(async (context, next) => {
    await next();
    const { audience } = Object(Object(context.oidc).params);
    if (audience !== undefined) audiences.add(audience);
    if (context.path === '/device/auth' && Object(context.body).device_code)
      Object.assign(context.body, { interval: 1 });
  });
  handler = provider.callback();
  return {
    url,
    /** The paths that were asked for, in order. */
    requests,
    /** Those that requests named. */
    audiences,
    isValid: async (token: string) => (await provider.AccessToken.find(token)) !== undefined,
    /** Ends a token before its time. */
    end: async (token: string) => (await provider.AccessToken.find(token))?.destroy(),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
