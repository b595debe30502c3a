import type { AgentCard, SecurityScheme } from '@switchyard/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Issuer, openIssuer } from '../../../tests/support/issuer.ts';
import type { AuthSettings } from '../src/index.ts';
import { type ErrorBody, get } from './support/client.ts';
import { jwtSettings } from './support/jwt-settings.ts';
import { everyBinding, type Headers, probeAll, probesOf } from './support/probe-bindings.ts';
import { openStage, type Stage } from './support/stage.ts';

const key = 'a-key-of-the-environment';
const keys = [{ key, subject: 'alice', tenant: 'acme', scopes: [] }];
const certificates = { subjectFrom: 'cn', tenantFrom: 'default', scopes: ['read'] } as const;

let issuer: Issuer;
let stage: Stage;

beforeAll(async () => {
  issuer = await openIssuer();
  stage = await openStage();
});

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  await issuer[Symbol.asyncDispose]();
});

/**
 * The header for a security scheme of the card. Undefined for certificates, which attacks/certificates.test.ts tests.
 */
async function credentialFor(scheme: SecurityScheme): Promise<Headers | undefined> {
  if ('apiKeySecurityScheme' in scheme) return { [scheme.apiKeySecurityScheme.name.toLowerCase()]: key };
  const isToken =
    'openIdConnectSecurityScheme' in scheme ||
    ('httpAuthSecurityScheme' in scheme && scheme.httpAuthSecurityScheme.bearerFormat === 'JWT');
  if (isToken) return { authorization: `Bearer ${await issuer.token()}` };
  return 'httpAuthSecurityScheme' in scheme ? { authorization: `Bearer ${key}` } : undefined;
}

const kinds = ['keys', 'jwt', 'certificates'] as const;
const mixes = Array.from({ length: 2 ** kinds.length }, (_, bits) => kinds.filter((__, bit) => bits & (2 ** bit)));

describe('A bearer token that is not a JSON Web Token', () => {
  it('gets an error that names both kinds if API keys are accepted, too', async () => {
    const problemAt = async (auth: AuthSettings) => {
      const url = await stage.another({ auth });
      const { body } = await get<ErrorBody>(`${url}/tasks`, { authorization: 'Bearer not-a-token' });
      return body.error.message;
    };
    const both = { keys, jwt: jwtSettings(issuer.url) };
    expect(await problemAt(both)).toBe('The bearer token is neither a JSON Web Token nor a valid API key');
    expect(await problemAt({ keys })).toBe('The API key is not valid');
  });
});

describe('The card of a gateway', () => {
  it.each(mixes.map((mix) => [mix.join(' and ') || 'nothing', mix] as const))(
    'lists exactly the accepted schemes: %s',
    async (_, mix) => {
      const offered: AuthSettings = { keys, jwt: jwtSettings(issuer.url), certificates };
      const auth: AuthSettings = Object.fromEntries(mix.map((kind) => [kind, offered[kind]]));
      const url = await stage.another({ auth, grpc: { port: 0, publicAddress: 'auto' } });
      const probes = await probesOf(url);
      const card = (await get<AgentCard>(`${url}/.well-known/agent-card.json`, { 'a2a-version': '1.0' })).body;
      const { securitySchemes = {}, securityRequirements = [] } = card;
      // Each scheme is an alternative, sufficient alone.
      expect(securityRequirements.map(({ schemes }) => Object.keys(schemes))).toEqual(
        Object.keys(securitySchemes).map((name) => [name]),
      );
      for (const [name, scheme] of Object.entries(securitySchemes)) {
        const headers = await credentialFor(scheme);
        if (headers) expect([name, await probeAll(probes, headers)]).toEqual([name, everyBinding(200)]);
      }
      // Credentials of other kinds are refused.
      const isOpen = mix.length === 0;
      expect(await probeAll(probes, {})).toEqual(everyBinding(isOpen ? 200 : 401));
      const statusFor = (kind: (typeof kinds)[number]) => everyBinding(isOpen || mix.includes(kind) ? 200 : 401);
      expect(await probeAll(probes, { 'x-api-key': key })).toEqual(statusFor('keys'));
      expect(await probeAll(probes, { authorization: `Bearer ${await issuer.token()}` })).toEqual(statusFor('jwt'));
      expect(Object.keys(securitySchemes).includes('mtls')).toBe(mix.includes('certificates'));
    },
  );
});
