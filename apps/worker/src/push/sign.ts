import { createHash, randomUUID } from 'node:crypto';
import type { SigningKey } from '@switchyard/settings';
import { SignJWT } from 'jose';

/** How long a signature is good for: a receiver's clock may be off, and what is captured should soon be worthless. */
const VALID_SECONDS = 300;

/** Signs one delivery: the header's value. @param audience origin of the receiver */
export type Sign = (body: string, audience: string) => Promise<string>;

/**
 * A JWT for each delivery: bound to the body by its SHA-256 (in the claim that the samples of A2A use), to the receiver
 * by `aud`, short-lived, and with an id that is never used again. The gateways publish the public half of the key as
 * JWKS.
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
