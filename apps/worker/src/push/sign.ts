import { createHash, randomUUID } from 'node:crypto';
import type { SigningKey } from '@switchyard/settings';
import { SignJWT } from 'jose';

/** How long a signature is valid: a receiver's clock may be off, but a captured delivery should soon be worthless. */
const VALID_SECONDS = 300;

/** Signs one delivery. @param audience origin of the receiver @returns the header's value */
export type Sign = (body: string, audience: string) => Promise<string>;

/**
 * Signs with a JWT for each delivery. It is bound to the body by its SHA-256 (in the claim that the samples of A2A use)
 * and to the receiver by `aud`, expires soon, and has a unique id. The gateways publish the public key as JWKS.
 */
export function createSigner({ algorithm: alg, kid, privateKey }: SigningKey): Sign {
  const header = { alg, kid, typ: 'JWT' };
  return (body, audience) =>
    new SignJWT({ request_body_sha256: createHash('sha256').update(body).digest('hex') })
      .setProtectedHeader(header)
      .setIssuedAt()
      .setExpirationTime(`${VALID_SECONDS}s`)
      .setAudience(audience)
      .setJti(randomUUID())
      .sign(privateKey);
}
