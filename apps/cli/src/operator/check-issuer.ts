import type { Finding } from './finding.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Whether the keys of the token issuer can be read, if this environment names one. */
export async function checkIssuer({ JWT_ISSUER: issuer, JWT_JWKS_URL: jwksUrl }: Environment): Promise<Finding[]> {
  if (!issuer) return [];
  // Of the gateway: other commands do not load it.
  const { countIssuerKeys } = await import('@switchyard/gateway/token-issuer');
  try {
    const count = await countIssuerKeys({ issuer, jwksUrl: jwksUrl || undefined });
    if (count > 0) return [{ verdict: 'ok', text: `The token issuer ${issuer} publishes ${keys(count)}` }];
    const text = `The token issuer ${issuer} publishes no key for signatures: all its tokens are refused`;
    return [{ verdict: 'problem', text, todo: 'Let the issuer publish its keys, or correct JWT_JWKS_URL.' }];
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const text = `The keys of the token issuer ${issuer} cannot be read: ${why}`;
    return [{ verdict: 'problem', text, todo: 'Correct JWT_ISSUER or JWT_JWKS_URL, or start the issuer.' }];
  }
}

function keys(count: number): string {
  return count === 1 ? '1 key' : `${count} keys`;
}
