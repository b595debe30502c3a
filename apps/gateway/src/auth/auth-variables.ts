import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { defaultGatewaySettings } from '../settings.ts';
import { openDoor } from './open-door.ts';
import { parseApiKeys } from './parse-api-keys.ts';
import type { ApiKey, AuthSettings } from './settings.ts';

const variables = z.object({
  HOST: z.string().default(defaultGatewaySettings.host),
  AUTH: z.enum(['none', 'api-key']).default('none'),
  ALLOW_ANONYMOUS: z.enum(['true', 'false']).default('false'),
  API_KEYS: z.string().default(''),
  API_KEYS_FILE: z.string().optional(),
});
type Variables = z.infer<typeof variables>;
type Context = z.core.$RefinementCtx;

/** Who may call, from the environment; which of the variables matter depends on the others. */
export const authVariables = variables.transform((env, context): AuthSettings => {
  const auth = env.AUTH === 'none' ? noAuth(env) : apiKeyAuth(env, context);
  const problem = openDoor({ host: env.HOST, auth });
  if (problem !== undefined) report(context, 'HOST', problem);
  return auth;
});

function noAuth({ ALLOW_ANONYMOUS }: Variables): AuthSettings {
  return { kind: 'none', allowAnonymous: ALLOW_ANONYMOUS === 'true' };
}

function apiKeyAuth({ API_KEYS, API_KEYS_FILE: file }: Variables, context: Context): AuthSettings {
  const keys = [
    ...attempt(context, 'API_KEYS', () => parseApiKeys(API_KEYS)),
    ...attempt(context, 'API_KEYS_FILE', () => (file === undefined ? [] : parseApiKeys(readFileSync(file, 'utf8')))),
  ];
  if (keys.length === 0) report(context, 'API_KEYS', 'AUTH=api-key needs at least one key, here or in API_KEYS_FILE');
  return { kind: 'api-key', keys };
}

function attempt(context: Context, name: string, read: () => ApiKey[]): ApiKey[] {
  try {
    return read();
  } catch (error) {
    report(context, name, error instanceof Error ? error.message : String(error));
    return [];
  }
}

function report(context: Context, name: string, message: string): void {
  context.addIssue({ code: 'custom', path: [name], message });
}
