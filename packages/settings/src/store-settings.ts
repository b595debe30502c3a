import { readCertificates } from './files/setting-file.ts';
import type { ValuesOf } from './read-settings.ts';
import { readSecret } from './secrets.ts';

type SharedValues = Pick<
  ValuesOf<'gateway'> & ValuesOf<'worker'>,
  | 'REDIS_URL'
  | 'REDIS_PASSWORD_FILE'
  | 'REDIS_CA_FILE'
  | 'KEY_PREFIX'
  | 'SHARDS'
  | 'DEPLOYMENT'
  | 'RETENTION_MS'
  | 'MAKE_ROOM_AT'
  | 'RETENTION_MIN_MS'
  | 'REPLAY_MS'
  | 'SWEEP_AFTER_MS'
  | 'INTERRUPTED_RETENTION_MS'
  | 'MAX_TASK_BYTES'
  | 'MAX_HISTORY_BYTES'
  | 'WAIT_REPLICAS'
  | 'IDEMPOTENCY_MS'
  | 'MAX_BYTES_PER_TENANT'
  | 'BUDGET_PER_TENANT_AND_DAY'
  | 'BUDGET_PER_TENANT_AND_MONTH'
  | 'BUDGET_PER_PRINCIPAL_AND_DAY'
  | 'BUDGET_PER_PRINCIPAL_AND_MONTH'
  | 'PUSH_SECRET'
  | 'PUSH_SECRET_FILE'
>;

interface SharedSettings {
  readonly values: SharedValues;
  check<T>(name: keyof SharedValues, read: () => T): T | undefined;
}

/** The settings of the store that are the same for gateway and worker. */
export function storeSettings(settings: SharedSettings) {
  const { values } = settings;
  const redisPassword = readSecret(settings, 'REDIS_PASSWORD_FILE');
  const redisCa = settings.check('REDIS_CA_FILE', () => readAuthorities(values));
  const pushSecret = readSecret(settings, 'PUSH_SECRET_FILE');
  return {
    redisUrl: values.REDIS_URL,
    ...(redisPassword && { redisPassword }),
    ...(redisCa && { redisCa }),
    prefix: values.KEY_PREFIX,
    shards: values.SHARDS,
    deployment: values.DEPLOYMENT,
    retentionMs: values.RETENTION_MS,
    makeRoomAtPercent: values.MAKE_ROOM_AT,
    retentionMinMs: values.RETENTION_MIN_MS,
    replayMs: values.REPLAY_MS,
    sweepAfterMs: values.SWEEP_AFTER_MS,
    interruptedRetentionMs: values.INTERRUPTED_RETENTION_MS,
    maxTaskBytes: values.MAX_TASK_BYTES,
    maxHistoryBytes: values.MAX_HISTORY_BYTES,
    waitReplicas: values.WAIT_REPLICAS,
    idempotencyMs: values.IDEMPOTENCY_MS,
    maxBytesOfTenant: values.MAX_BYTES_PER_TENANT,
    budgetOfTenantPerDay: values.BUDGET_PER_TENANT_AND_DAY,
    budgetOfTenantPerMonth: values.BUDGET_PER_TENANT_AND_MONTH,
    budgetOfPrincipalPerDay: values.BUDGET_PER_PRINCIPAL_AND_DAY,
    budgetOfPrincipalPerMonth: values.BUDGET_PER_PRINCIPAL_AND_MONTH,
    pushSecrets: [...values.PUSH_SECRET, ...(pushSecret ? [pushSecret] : [])],
  };
}

function readAuthorities({ REDIS_URL: url, REDIS_CA_FILE: file }: SharedValues): string | undefined {
  if (file === undefined) return undefined;
  if (!url.startsWith('rediss')) throw new Error('REDIS_URL has no TLS: it must begin with rediss');
  return readCertificates(file).toString();
}
