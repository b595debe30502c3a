import { createHash, timingSafeEqual } from 'node:crypto';
import { errors, type JWTVerifyGetKey, jwtVerify } from 'jose';

export interface SignatureOptions {
  readonly keys: JWTVerifyGetKey;
  readonly audience?: string;
  readonly clockToleranceSeconds?: number;
  readonly remember?: (id: string, until: number) => boolean | Promise<boolean>;
}

/** @returns what is wrong with the signature of a body; undefined: nothing. Rejects if the keys cannot be fetched. */
export async function checkSignature(
  { jwt, body }: { readonly jwt: string; readonly body: string | Uint8Array },
  { keys, audience, clockToleranceSeconds = 30, remember }: SignatureOptions,
): Promise<string | undefined> {
  if (!jwt) return 'there is no signature';
  try {
    const { payload } = await jwtVerify(jwt, keys, {
      algorithms: ['ES256', 'RS256', 'EdDSA'],
      requiredClaims: ['iat', 'exp', 'jti', 'aud'],
      clockTolerance: clockToleranceSeconds,
      ...(audience !== undefined && { audience }),
    });
    const { request_body_sha256: digest, jti = '', exp = 0 } = payload;
    if (digest !== createHash('sha256').update(body).digest('hex')) return 'the signature is for another body';
    const isNew = (await remember?.(jti, exp + clockToleranceSeconds)) ?? true;
    return isNew ? undefined : 'the signature was used before';
  } catch (error) {
    if (error instanceof errors.JOSEError && !isOutage(error)) return `the signature is not valid: ${error.message}`;
    throw error;
  }
}

/** Whether the keys could not be fetched: the notification may be genuine, so the sender must retry it. */
function isOutage(error: errors.JOSEError): boolean {
  return error instanceof errors.JWKSTimeout || error.code === 'ERR_JOSE_GENERIC';
}

/** Compares in constant time. */
export function isSameSecret(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
