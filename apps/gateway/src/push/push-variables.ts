import { WebhookPolicy } from '@switchyard/store';
import { z } from 'zod';
import { readSigningKeys } from '../keys/read-signing-keys.ts';
import type { PushSettings } from './settings.ts';

const list = z.string().transform((text) => text.split(/[\s,]+/).filter((entry) => entry !== ''));

const variables = z.object({
  PUSH: z.enum(['on', 'off']).default('on'),
  PUSH_ALLOW_HTTP: z.enum(['true', 'false']).default('false'),
  PUSH_ALLOW_HOSTS: list.default([]),
  PUSH_SECRET: list.default([]),
  PUSH_SIGNING_KEY: z.string().optional(),
});
type Context = z.core.$RefinementCtx;

/** Push notifications, from the environment. The workers of a deployment are to have the same. */
export const pushVariables = variables.transform((env, context) => {
  const signingKeys = attempt(context, 'PUSH_SIGNING_KEY', () => readSigningKeys(env.PUSH_SIGNING_KEY ?? '')) ?? [];
  const settings: PushSettings = {
    policy: { allowHttp: env.PUSH_ALLOW_HTTP === 'true', allowHosts: env.PUSH_ALLOW_HOSTS },
    publicKeys: signingKeys.map(({ publicJwk }) => publicJwk),
  };
  attempt(context, 'PUSH_ALLOW_HOSTS', () => new WebhookPolicy(settings.policy));
  return { settings: env.PUSH === 'on' ? settings : undefined, secrets: env.PUSH_SECRET };
});

/** What the two checks have to say repeats no secret. */
function attempt<T>(context: Context, name: string, read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    context.addIssue({ code: 'custom', path: [name], message: error instanceof Error ? error.message : String(error) });
    return undefined;
  }
}
