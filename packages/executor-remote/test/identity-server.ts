import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider, { errors } from 'oidc-provider';

const exchangeGrant = 'urn:ietf:params:oauth:grant-type:token-exchange';

/** A real identity server, with one client for client credentials and token exchange. */
export async function identityServer() {
  const server = createServer((request, response) => {
    if (request.url === '/token') requests += 1;
    handler(request, response);
  });
  let requests = 0;
  let handler: RequestListener = (_, response) => response.end();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(url, {
    clients: [
      {
        client_id: 'switchyard',
        client_secret: 'a secret/with+signs',
        grant_types: ['client_credentials', exchangeGrant],
        redirect_uris: [],
        response_types: [],
        scope: 'agents',
      },
    ],
    scopes: ['agents'],
    features: { clientCredentials: { enabled: true }, devInteractions: { enabled: false } },
  });
  const subjects = new Map<string, string>();
  const parameters = ['subject_token', 'subject_token_type', 'audience', 'scope'];
  provider.registerGrantType(
    exchangeGrant,
    async (context) => {
      const { client } = context.oidc;
      const params: Record<string, unknown> = context.oidc.params ?? {};
      if (!client || params.subject_token === 'unknown') throw new errors.InvalidGrant('unknown subject');
      const token = await new provider.ClientCredentials({ client, scope: '' }).save();
      subjects.set(token, String(params.subject_token));
      context.body = {
        access_token: token,
        issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
        token_type: 'Bearer',
        expires_in: 600,
      };
    },
    parameters,
  );
  handler = provider.callback();
  return {
    tokenUrl: `${url}/token`,
    /** How often a token was asked for. */
    requests: () => requests,
    /** The valid token, with what it says. */
    find: (token: string) => provider.ClientCredentials.find(token),
    /** The subject of a token that was exchanged. */
    subjectOf: (token: string) => subjects.get(token),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
