import { defaultStoreSettings, type StoreSettings } from '@switchyard/store';
import { z } from 'zod';
import { readArguments, type WorkerArguments } from './arguments.ts';
import type { MetricsSettings } from './metrics/metrics-port.ts';
import { pushVariables, toPushSettings } from './push/push-variables.ts';
import type { WorkerSettings } from './worker.ts';

export interface WorkerConfig extends WorkerArguments {
  readonly store: Partial<StoreSettings> & Pick<StoreSettings, 'redisUrl'>;
  readonly worker: WorkerSettings;
  /** Unset: nothing is measured. */
  readonly metrics: MetricsSettings | undefined;
  readonly logLevel: string;
}

/** What the environment or the command line says cannot be used; the message names every wrong setting and why. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

const milliseconds = z.coerce
  .number()
  .int()
  .min(1)
  .max(2 ** 31 - 1);

const environmentSchema = z.object({
  REDIS_URL: z.string().min(1).default('redis://127.0.0.1:6379'),
  KEY_PREFIX: z
    .string()
    .regex(/^[\w.:-]{1,64}$/, 'may have letters, digits and . : _ - only')
    .default(defaultStoreSettings.prefix),
  SHARDS: z.coerce.number().int().min(1).max(256).default(defaultStoreSettings.shards),
  MAX_ATTEMPTS: z.coerce.number().int().min(1).max(100).default(defaultStoreSettings.maxAttempts),
  LEASE_MS: milliseconds.default(defaultStoreSettings.leaseMs),
  PUSH_LEASE_MS: milliseconds.default(defaultStoreSettings.pushLeaseMs),
  RETENTION_MS: z.coerce.number().int().min(1).default(defaultStoreSettings.retentionMs),
  REPLAY_MS: milliseconds.default(defaultStoreSettings.replayMs),
  SWEEP_MS: milliseconds.default(2_000),
  DRAIN_MS: z.coerce.number().int().min(0).max(3_600_000).default(2_000),
  METRICS_PORT: z.coerce.number().int().min(0).max(65_535).optional(),
  METRICS_HOST: z.string().min(1).default('127.0.0.1'),
  ...pushVariables,
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
});

/** @throws {ConfigError} */
export function readConfig(environment: NodeJS.ProcessEnv, args: readonly string[]): WorkerConfig {
  const parsed = environmentSchema.safeParse(environment);
  if (!parsed.success) {
    const wrong = parsed.error.issues.map(({ path, message }) => `  ${path.join('.')}: ${message}`);
    throw new ConfigError(`The environment has settings that cannot be used:\n${wrong.join('\n')}`);
  }
  const env = parsed.data;
  return {
    ...argumentsOf(args),
    store: {
      redisUrl: env.REDIS_URL,
      prefix: env.KEY_PREFIX,
      shards: env.SHARDS,
      maxAttempts: env.MAX_ATTEMPTS,
      leaseMs: env.LEASE_MS,
      retentionMs: env.RETENTION_MS,
      replayMs: env.REPLAY_MS,
      pushSecrets: env.PUSH_SECRET,
      pushLeaseMs: env.PUSH_LEASE_MS,
    },
    worker: { drainMs: env.DRAIN_MS, sweepEveryMs: env.SWEEP_MS, push: toPushSettings(env, env.SWEEP_MS) },
    metrics: env.METRICS_PORT === undefined ? undefined : { host: env.METRICS_HOST, port: env.METRICS_PORT },
    logLevel: env.LOG_LEVEL,
  };
}

/** @throws {ConfigError} */
function argumentsOf(args: readonly string[]): WorkerArguments {
  try {
    return readArguments(args);
  } catch (error) {
    throw new ConfigError(
      `${error instanceof Error ? error.message : error}\nUsage: worker [--watch] --agents <module> [<module> …]`,
    );
  }
}
