import type { RemoteSettings } from '@switchyard/executor-remote';
import { z } from 'zod';

const loopback = /^http:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?(?:\/|$)/i;
const text = z.string().min(1);

const oauth2Schema = z.strictObject({
  tokenUrl: z
    .url({ error: 'must be an address that begins with https://', abort: true })
    .refine((url) => /^https:\/\//i.test(url) || loopback.test(url), 'must begin with https://')
    .optional(),
  clientId: text,
  clientSecret: text,
  clientAuth: z.enum(['basic', 'post']).optional(),
  scopes: z.array(text).optional(),
  audience: text.optional(),
  resource: text.optional(),
});

/** The field `auth` of an agent in a file. */
export const authSchema = z
  .strictObject({ oauth2: oauth2Schema.optional(), tokenFile: text.optional() })
  .refine(({ oauth2, tokenFile }) => (oauth2 === undefined) !== (tokenFile === undefined), {
    error: 'must have either oauth2 or tokenFile',
  });

/** @param fill puts variables of the environment into a text */
export function readAgentAuth(
  { oauth2, tokenFile }: z.infer<typeof authSchema>,
  fill: (field: string, text: string) => string,
): RemoteSettings['auth'] {
  if (oauth2) {
    const { clientId, clientSecret } = oauth2;
    const secrets = {
      clientId: fill('oauth2.clientId', clientId),
      clientSecret: fill('oauth2.clientSecret', clientSecret),
    };
    return { oauth2: { ...oauth2, ...secrets } };
  }
  return tokenFile === undefined ? undefined : { tokenFile: fill('tokenFile', tokenFile) };
}
