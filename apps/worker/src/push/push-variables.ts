import { StoreError, WebhookPolicy } from '@switchyard/store';
import { z } from 'zod';
import { defaultPushSettings, type PushSettings } from './push-settings.ts';
import { readSigningKey, type SigningKey } from './signing-key.ts';

const defaults = defaultPushSettings;
const whole = (least: number, most: number) => z.coerce.number().int().min(least).max(most);
const list = z.string().transform((text) => text.split(/[\s,]+/).filter((entry) => entry !== ''));

/** What a worker is told of push notifications by its environment. */
export const pushVariables = {
  PUSH: z.enum(['on', 'off']).default('on'),
  PUSH_CHUNKS: z.enum(['on', 'off']).default('on'),
  PUSH_CONCURRENCY: whole(1, 10_000).default(defaults.concurrency),
  PUSH_TIMEOUT_MS: whole(1, 30_000).default(defaults.timeoutMs),
  PUSH_MAX_ATTEMPTS: whole(1, 1_000_000).default(defaults.maxAttempts),
  PUSH_MAX_AGE_MS: whole(1, 2 ** 31 - 1).default(defaults.maxAgeMs),
  PUSH_BACKOFF_MS: whole(1, 3_600_000).default(defaults.backoffMs),
  PUSH_ALLOW_HTTP: z.enum(['true', 'false']).default('false'),
  PUSH_ALLOW_HOSTS: list.superRefine(explained(usable)).default([]),
  PUSH_SECRET: list.default([]),
  PUSH_SIGNING_KEY: z.string().superRefine(explained(signingKey)).optional(),
};

type Variables = z.infer<z.ZodObject<typeof pushVariables>>;

/** @returns undefined: this worker tells no webhooks */
export function toPushSettings(env: Variables, claimEveryMs: number): PushSettings | undefined {
  if (env.PUSH === 'off') return undefined;
  return {
    ...defaults,
    chunks: env.PUSH_CHUNKS === 'on',
    concurrency: env.PUSH_CONCURRENCY,
    timeoutMs: env.PUSH_TIMEOUT_MS,
    maxAttempts: env.PUSH_MAX_ATTEMPTS,
    maxAgeMs: env.PUSH_MAX_AGE_MS,
    backoffMs: env.PUSH_BACKOFF_MS,
    policy: { allowHttp: env.PUSH_ALLOW_HTTP === 'true', allowHosts: env.PUSH_ALLOW_HOSTS },
    signingKey: signingKey(env.PUSH_SIGNING_KEY),
    claimEveryMs,
  };
}

/** An empty variable counts as unset. */
function signingKey(text: string | undefined): SigningKey | undefined {
  return text ? readSigningKey(text) : undefined;
}

function usable(allowHosts: readonly string[]): void {
  new WebhookPolicy({ allowHttp: false, allowHosts });
}

/** A check that throws, as one that reports. Of a key no more is said than that it is none: errors may quote it. */
function explained<T>(check: (value: T) => unknown): (value: T, context: z.core.$RefinementCtx<T>) => void {
  return (value, context) => {
    try {
      check(value);
    } catch (error) {
      const message =
        error instanceof StoreError
          ? error.message
          : 'must hold a private key, or name a file that does: P-256, RSA or Ed25519, as JWK or PEM';
      context.addIssue({ code: 'custom', message });
    }
  };
}
