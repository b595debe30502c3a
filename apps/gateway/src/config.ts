import { defaultStoreSettings, type StoreSettings } from '@switchyard/store';
import { z } from 'zod';
import { adminVariables } from './admin/admin-variables.ts';
import { authVariables } from './auth/auth-variables.ts';
import { grpcVariables } from './bindings/grpc/grpc-variables.ts';
import { cardKeyVariables } from './cards/card-key-variables.ts';
import type { LogSettings } from './observe/create-log.ts';
import { pushVariables } from './push/push-variables.ts';
import { defaultGatewaySettings, type GatewaySettings } from './settings.ts';

export interface GatewayConfig {
  readonly gateway: GatewaySettings;
  readonly store: Partial<StoreSettings> & Pick<StoreSettings, 'redisUrl'>;
  readonly log: LogSettings;
}

/** The environment cannot be used. The message names every wrong variable and why, and repeats no value: some are secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

const number = (least: number, most: number) =>
  z.coerce.number({ error: 'must be a number' }).int().min(least).max(most);
/** Up to the longest time that a timer of Node takes. */
const milliseconds = number(1, 2 ** 31 - 1);
const flag = z.enum(['true', 'false']).transform((text) => text === 'true');
const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an address such as https://agents.example.com' });
/** The rest is for the store to say, which reads it: see `parseRedisAddress`. */
const redisUrl = z
  .string()
  .regex(/^rediss?(?:\+(?:sentinel|cluster))?:\/\//, 'must be an address such as redis://127.0.0.1:6379');

const defaults = defaultGatewaySettings;
const gatewayVariables = z.object({
  HOST: z.string().default(defaults.host),
  PORT: number(0, 65_535).default(defaults.port),
  LEGACY_V0_3: z.enum(['on', 'off']).default(defaults.legacyV03 ? 'on' : 'off'),
  PUBLIC_URL: httpUrl.optional(),
  TRUST_PROXY: flag.default(defaults.trustProxy),
  DEFAULT_AGENT: z
    .string()
    .regex(/^[a-z0-9-]+$/, 'must be the id of an agent: a-z, 0-9 and -')
    .optional(),
  SEND_MODE: z.enum(['blocking', 'immediate']).default(defaults.sendMode),
  BLOCKING_WAIT_MS: milliseconds.default(defaults.blockingWaitMs),
  CANCEL_WAIT_MS: milliseconds.default(defaults.cancelWaitMs),
  MAX_POLL_WAIT_MS: milliseconds.default(defaults.maxPollWaitMs),
  STORE_TIMEOUT_MS: milliseconds.default(defaults.storeTimeoutMs),
  HEARTBEAT_MS: milliseconds.default(defaults.heartbeatMs),
  DRAIN_MS: number(0, 3_600_000).default(defaults.drainMs),
  MAX_BODY_BYTES: number(1, 1024 ** 3).default(defaults.maxBodyBytes),
  MAX_STREAMS: number(1, 1_000_000).default(defaults.maxStreams),
  CARD_MAX_AGE_SECONDS: number(0, 31_536_000).default(defaults.cardMaxAgeSeconds),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
});

/** Those that have to be the same in every gateway and worker of a deployment. */
const storeVariables = z.object({
  REDIS_URL: redisUrl.default('redis://127.0.0.1:6379'),
  KEY_PREFIX: z
    .string()
    .regex(/^[\w.:-]{1,64}$/, 'may have letters, digits and . : _ - only')
    .default(defaultStoreSettings.prefix),
  SHARDS: number(1, 256).default(defaultStoreSettings.shards),
  RETENTION_MS: number(1, Number.MAX_SAFE_INTEGER).default(defaultStoreSettings.retentionMs),
  REPLAY_MS: milliseconds.default(defaultStoreSettings.replayMs),
  LEASE_MS: milliseconds.default(defaultStoreSettings.leaseMs),
  WAIT_REPLICAS: number(0, 16).default(defaultStoreSettings.waitReplicas),
  IDEMPOTENCY_MS: number(1, Number.MAX_SAFE_INTEGER).default(defaultStoreSettings.idempotencyMs),
});

/** An empty variable counts as unset. @throws {ConfigError} */
export function readConfig(variables: NodeJS.ProcessEnv): GatewayConfig {
  const given = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''));
  const gateway = gatewayVariables.safeParse(given);
  const store = storeVariables.safeParse(given);
  const auth = authVariables.safeParse(given);
  const admin = adminVariables.safeParse(given);
  const grpc = grpcVariables.safeParse(given);
  const cardKeys = cardKeyVariables.safeParse(given);
  const push = pushVariables.safeParse(given);
  if (
    !gateway.success ||
    !store.success ||
    !auth.success ||
    !admin.success ||
    !grpc.success ||
    !cardKeys.success ||
    !push.success
  )
    throw configError([gateway, store, auth, admin, grpc, cardKeys, push]);
  return {
    gateway: {
      ...toGatewaySettings(gateway.data, auth.data),
      admin: admin.data,
      grpc: grpc.data,
      cardSigningKeys: cardKeys.data,
      push: push.data.settings,
    },
    store: { ...toStoreSettings(store.data), pushSecrets: push.data.secrets },
    log: { level: gateway.data.LOG_LEVEL },
  };
}

function configError(results: readonly { readonly error?: z.ZodError }[]): ConfigError {
  const problems = results
    .flatMap(({ error }) => error?.issues ?? [])
    .map(({ path, message }) => `  ${path.join('.')}: ${message}`);
  return new ConfigError(`The environment has settings that cannot be used:\n${problems.join('\n')}`);
}

function toGatewaySettings(
  env: z.infer<typeof gatewayVariables>,
  auth: GatewaySettings['auth'],
): Omit<GatewaySettings, 'cardSigningKeys' | 'push'> {
  return {
    auth,
    host: env.HOST,
    port: env.PORT,
    legacyV03: env.LEGACY_V0_3 === 'on',
    publicUrl: env.PUBLIC_URL,
    trustProxy: env.TRUST_PROXY,
    defaultAgent: env.DEFAULT_AGENT,
    sendMode: env.SEND_MODE,
    blockingWaitMs: env.BLOCKING_WAIT_MS,
    cancelWaitMs: env.CANCEL_WAIT_MS,
    maxPollWaitMs: env.MAX_POLL_WAIT_MS,
    storeTimeoutMs: env.STORE_TIMEOUT_MS,
    heartbeatMs: env.HEARTBEAT_MS,
    agentRefreshMs: defaults.agentRefreshMs,
    drainMs: env.DRAIN_MS,
    maxBodyBytes: env.MAX_BODY_BYTES,
    maxStreams: env.MAX_STREAMS,
    cardMaxAgeSeconds: env.CARD_MAX_AGE_SECONDS,
  };
}

function toStoreSettings(env: z.infer<typeof storeVariables>): GatewayConfig['store'] {
  return {
    redisUrl: env.REDIS_URL,
    prefix: env.KEY_PREFIX,
    shards: env.SHARDS,
    retentionMs: env.RETENTION_MS,
    replayMs: env.REPLAY_MS,
    leaseMs: env.LEASE_MS,
    waitReplicas: env.WAIT_REPLICAS,
    idempotencyMs: env.IDEMPOTENCY_MS,
  };
}
