import { z } from 'zod';
import { type AdminSettings, defaultAdminHost } from './admin-settings.ts';

const shortestKey = 16;

/** The operators' port from the environment; undefined: there is none. */
export const adminVariables = z
  .object({
    ADMIN_PORT: z.coerce.number({ error: 'must be a number' }).int().min(0).max(65_535).optional(),
    ADMIN_HOST: z.string().default(defaultAdminHost),
    ADMIN_KEY: z.string().default(''),
  })
  .transform(({ ADMIN_PORT: port, ADMIN_HOST: host, ADMIN_KEY: key }, context): AdminSettings | undefined => {
    if (port === undefined) return undefined;
    if (key.length < shortestKey)
      context.addIssue({
        code: 'custom',
        path: ['ADMIN_KEY'],
        message: `ADMIN_PORT needs a key of at least ${shortestKey} characters`,
      });
    return { host, port, key };
  });
