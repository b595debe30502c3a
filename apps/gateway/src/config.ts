import { requireArchiveUrl } from '@switchyard/archive';
import { requireFilesUrl } from '@switchyard/files';
import { AddressPolicy, noProxies, type ProxySettings, readProxies } from '@switchyard/outgoing';
import {
  collector,
  type Environment,
  readOperatorKey,
  readSecret,
  readSigningKeys,
  Settings,
  type SigningKey,
  storeSettings,
  type ValuesOf,
} from '@switchyard/settings';
import type { StoreSettings } from '@switchyard/store';
import type { LogFormat, TraceSettings } from '@switchyard/telemetry';
import type { LevelWithSilent } from 'pino';
import { missingPublicUrlProblem } from './agents/cards.ts';
import { type ListedDeployment, readDeployments } from './deployments/deployments-file.ts';
import { type ConnectionLimits, readGrpcTls, readHttpTls } from './settings/connection-settings.ts';
import {
  type AdminSettings,
  defaultGatewaySettings,
  type FileSettings,
  type GatewaySettings,
  type GrpcLimits,
  type GrpcSettings,
  type OidcSettings,
  type PushSettings,
} from './settings/gateway-settings.ts';
import { readAuth } from './settings/identity-settings.ts';
import type { RateSettings, ResourceSettings } from './settings/limit-settings.ts';

export interface GatewayConfig {
  readonly gateway: GatewaySettings;
  readonly store: Partial<StoreSettings> & Pick<StoreSettings, 'redisUrl'>;
  /** All that the gateway serves; unset: one, as `store` says. */
  readonly deployments: readonly ListedDeployment[] | undefined;
  /** The file that names them. */
  readonly deploymentsFile: string | undefined;
  /** URL of the archive; unset: ended tasks are gone when Redis forgets them. */
  readonly archiveUrl: string | undefined;
  readonly logLevel: LevelWithSilent;
  readonly logFormat: LogFormat;
  readonly traces: TraceSettings;
  readonly proxies: ProxySettings;
  /** The files that were read: see `Gateway.reload`. */
  readonly files: readonly string[];
}

type RawSettings = Settings<'gateway'>;

/** @throws {SettingsError} naming every setting that cannot be used */
export function readConfig(environment: Environment): GatewayConfig {
  const raw = new Settings('gateway', environment);
  const { values } = raw;
  requireSeparatePorts(raw);
  const config = {
    gateway: {
      ...plainSettings(values),
      ...readOrigins(raw),
      auth: readAuth(raw),
      admin: readAdmin(raw),
      tls: readHttpTls(raw),
      connections: connectionLimits(values),
      resources: resources(values),
      rates: rates(values),
      audit: { events: values.AUDIT },
      grpc: readGrpc(raw),
      grpcLimits: grpcLimits(values),
      cardSigningKeys: readCardKeys(raw),
      push: readPush(raw),
      files: readFiles(raw),
    },
    store: {
      ...storeSettings(raw),
      ...quotas(values),
      maxAnswerBytes: values.MAX_ANSWER_BYTES,
      maxAuditEvents: values.AUDIT_MAX,
      auditRetentionMs: values.AUDIT_RETENTION_MS,
    },
    deployments: readDeploymentsOf(raw, environment),
    deploymentsFile: values.DEPLOYMENTS_FILE,
    archiveUrl: raw.check('ARCHIVE_URL', () => values.ARCHIVE_URL && requireArchiveUrl(values.ARCHIVE_URL)),
    logLevel: values.LOG_LEVEL,
    logFormat: values.LOG_FORMAT,
    traces: { collector: collector(values) },
    proxies: raw.check('HTTPS_PROXY', () => readProxies(environment)) ?? noProxies,
    files: filesIn(values),
  };
  raw.requireValid();
  return config;
}

/** Limits of principals, tenants and queues. */
function quotas(values: ValuesOf<'gateway'>): Partial<StoreSettings> {
  return {
    maxOpenTasks: values.MAX_OPEN_TASKS,
    maxKeptTasks: values.MAX_KEPT_TASKS,
    maxOpenTasksOfTenant: values.MAX_OPEN_TASKS_PER_TENANT,
    maxScheduled: values.MAX_SCHEDULED,
    maxWaiting: values.MAX_WAITING,
    maxQueueWaitMs: values.MAX_QUEUE_WAIT_MS === 'off' ? Number.POSITIVE_INFINITY : values.MAX_QUEUE_WAIT_MS,
  };
}

/** Those of one deployment, which the file has for each. */
const ofOneDeployment = [
  'REDIS_URL',
  'REDIS_PASSWORD_FILE',
  'REDIS_CA_FILE',
  'KEY_PREFIX',
  'SHARDS',
  'ARCHIVE_URL',
] as const;

function readDeploymentsOf(raw: RawSettings, environment: Environment): readonly ListedDeployment[] | undefined {
  const { DEPLOYMENTS_FILE: file, DEPLOYMENT: own } = raw.values;
  if (file === undefined) return undefined;
  for (const name of ofOneDeployment)
    if (environment[name]) raw.refuse(name, 'belongs into the file of DEPLOYMENTS_FILE');
  const deployments = raw.check('DEPLOYMENTS_FILE', () => readDeployments(file));
  if (deployments && !deployments.some(({ number }) => number === own))
    raw.refuse('DEPLOYMENT', 'must be a number in the file of DEPLOYMENTS_FILE: its audit trail is there');
  return deployments;
}

/** Files that are read again when they change. */
function filesIn(values: ValuesOf<'gateway'>): string[] {
  return Object.entries(values).flatMap(([name, file]) =>
    name.endsWith('_FILE') && name !== 'DEPLOYMENTS_FILE' && typeof file === 'string' ? [file] : [],
  );
}

/** Settings that are used as they are. */
function plainSettings(values: ValuesOf<'gateway'>) {
  return {
    host: values.HOST,
    port: values.PORT,
    legacyV03: values.LEGACY_V0_3,
    preview: values.PREVIEW_1_1,
    mcp: values.MCP,
    ard: values.ARD,
    publicUrl: values.PUBLIC_URL,
    trustProxy: values.TRUST_PROXY,
    defaultAgent: values.DEFAULT_AGENT,
    sendMode: values.SEND_MODE,
    missingVersion: values.MISSING_VERSION,
    unknownConfiguration: values.UNKNOWN_CONFIGURATION,
    blockingWaitMs: values.BLOCKING_WAIT_MS === 'off' ? Number.POSITIVE_INFINITY : values.BLOCKING_WAIT_MS,
    acknowledgedIsAnswered: values.ACKNOWLEDGE,
    minCronIntervalMs: values.MIN_CRON_INTERVAL_MS,
    messageHoldMs: values.MESSAGE_HOLD_MS === 'off' ? Number.POSITIVE_INFINITY : values.MESSAGE_HOLD_MS,
    cancelWaitMs: values.CANCEL_WAIT_MS,
    maxPollWaitMs: values.MAX_POLL_WAIT_MS,
    storeTimeoutMs: values.STORE_TIMEOUT_MS,
    heartbeatMs: values.HEARTBEAT_MS,
    clientStallMs: values.CLIENT_STALL_MS,
    agentRefreshMs: defaultGatewaySettings.agentRefreshMs,
    drainMs: values.DRAIN_MS,
    maxBodyBytes: values.MAX_BODY_BYTES,
    maxBodyValues: values.MAX_BODY_VALUES,
    cardMaxAgeSeconds: values.CARD_MAX_AGE_SECONDS,
  };
}

function readOrigins(raw: RawSettings): Pick<GatewaySettings, 'allowedHosts' | 'allowedOrigins'> {
  const { ALLOWED_HOSTS: allowedHosts, ALLOWED_ORIGINS: allowedOrigins, AUTH } = raw.values;
  if (allowedOrigins.includes('*') && AUTH.includes('none'))
    raw.refuse('ALLOWED_ORIGINS', '* needs authentication: any web page could use the gateway');
  return { allowedHosts, allowedOrigins };
}

function readAdmin(raw: RawSettings): AdminSettings | undefined {
  const {
    ADMIN_PORT: port,
    ADMIN_HOST: host,
    ADMIN_KEY,
    ADMIN_KEY_FILE,
    METRICS_KEY,
    METRICS_KEY_FILE,
    CONSOLE,
  } = raw.values;
  if (port === undefined) return undefined;
  const key = raw.check('ADMIN_KEY', () => readOperatorKey(ADMIN_KEY, ADMIN_KEY_FILE));
  if (key === '') raw.refuse('ADMIN_KEY', 'ADMIN_PORT needs a key, here or in ADMIN_KEY_FILE');
  const metricsKey = raw.check('METRICS_KEY', () => readOperatorKey(METRICS_KEY, METRICS_KEY_FILE));
  if (metricsKey && metricsKey === key) raw.refuse('METRICS_KEY', 'must differ from ADMIN_KEY');
  return { host, port, key: key ?? '', hasConsole: CONSOLE, oidc: readOidc(raw), ...(metricsKey && { metricsKey }) };
}

function readOidc(raw: RawSettings): OidcSettings | undefined {
  const { CONSOLE_OIDC_CLIENT_ID: clientId, CONSOLE_OIDC_SCOPES: scopes, AUTH, JWT_ISSUER, JWT_AUDIENCE } = raw.values;
  if (clientId === undefined) return undefined;
  const issuer = JWT_ISSUER ?? '';
  if (!AUTH.includes('jwt') || !URL.canParse(issuer))
    raw.refuse('CONSOLE_OIDC_CLIENT_ID', 'needs AUTH=jwt, and a URL as JWT_ISSUER');
  return { issuer, clientId, scopes, audience: JWT_AUDIENCE?.[0] ?? '' };
}

function readGrpc(raw: RawSettings): GrpcSettings | undefined {
  const { PORT, GRPC_PORT: port = portAfter(PORT), GRPC_PUBLIC_ADDRESS: publicAddress } = raw.values;
  return port === 'off' ? undefined : { port, publicAddress, tls: readGrpcTls(raw) };
}

function grpcLimits(values: ValuesOf<'gateway'>): GrpcLimits {
  return {
    streams: values.GRPC_MAX_STREAMS,
    bytes: values.GRPC_MAX_QUEUED_BYTES,
    messageMs: values.GRPC_MESSAGE_TIMEOUT_MS,
    idleMs: values.GRPC_IDLE_MS,
    ageMs: values.GRPC_MAX_AGE_MS,
    ageGraceMs: values.GRPC_MAX_AGE_GRACE_MS,
  };
}

function rates(values: ValuesOf<'gateway'>): RateSettings {
  return {
    perPrincipal: values.RATE_PER_PRINCIPAL,
    ofKind: {
      send: values.RATE_SEND_PER_PRINCIPAL,
      read: values.RATE_READ_PER_PRINCIPAL,
      cancel: values.RATE_CANCEL_PER_PRINCIPAL,
      push: values.RATE_PUSH_PER_PRINCIPAL,
      events: values.RATE_EVENTS_PER_PRINCIPAL,
    },
    perCallback: values.RATE_EVENTS_PER_CALLBACK,
    perAddress: values.RATE_PER_ADDRESS,
    failedAuthPerAddress: values.RATE_FAILED_AUTH_PER_ADDRESS,
    proxies: values.TRUST_PROXY ? values.TRUST_PROXY_HOPS : 0,
  };
}

function resources(values: ValuesOf<'gateway'>): ResourceSettings {
  return {
    streams: {
      total: values.MAX_STREAMS,
      perTenant: values.MAX_STREAMS_PER_TENANT,
      perPrincipal: values.MAX_STREAMS_PER_PRINCIPAL,
    },
    held: {
      total: values.MAX_HELD_REQUESTS,
      perTenant: values.MAX_HELD_REQUESTS_PER_TENANT,
      perPrincipal: values.MAX_HELD_REQUESTS_PER_PRINCIPAL,
    },
    bytes: {
      total: values.MAX_BYTES_IN_FLIGHT,
      perTenant: values.MAX_BYTES_IN_FLIGHT_PER_TENANT,
      perPrincipal: values.MAX_BYTES_IN_FLIGHT_PER_PRINCIPAL,
    },
  };
}

function connectionLimits(values: ValuesOf<'gateway'>): ConnectionLimits {
  return {
    headersMs: values.HEADERS_TIMEOUT_MS,
    bodyMs: values.BODY_TIMEOUT_MS,
    max: values.MAX_CONNECTIONS,
    maxPerAddress: values.MAX_CONNECTIONS_PER_ADDRESS,
  };
}

function readFiles(raw: RawSettings): FileSettings | undefined {
  const {
    FILES_URL: url,
    MAX_FILE_BYTES: maxFileBytes,
    MAX_FILE_BYTES_PER_PRINCIPAL: maxBytesPerPrincipal,
    INLINE_FILE_BYTES: inlineBytes,
  } = raw.values;
  if (url === undefined) return undefined;
  const secret = readSecret(raw, 'FILES_SECRET_FILE');
  return {
    url: raw.check('FILES_URL', () => requireFilesUrl(url)) ?? '',
    secrets: [...raw.values.FILES_SECRET, ...(secret ? [secret] : [])],
    maxFileBytes,
    maxBytesPerPrincipal,
    ...(inlineBytes > 0 && { inlineBytes }),
  };
}

/** Otherwise the second to listen says only that the port is in use, as if by another program. */
function requireSeparatePorts(raw: RawSettings): void {
  const { HOST, PORT, GRPC_PORT, ADMIN_HOST, ADMIN_PORT } = raw.values;
  const grpc = GRPC_PORT ?? portAfter(PORT);
  const grpcName = GRPC_PORT === undefined ? 'the port for gRPC, which without GRPC_PORT is PORT + 1' : 'GRPC_PORT';
  if (grpc !== 0 && grpc === PORT) raw.refuse('GRPC_PORT', 'is also PORT: choose another one');
  if (!ADMIN_PORT || !overlap(HOST, ADMIN_HOST)) return;
  if (ADMIN_PORT === PORT) raw.refuse('ADMIN_PORT', 'is also PORT: choose another one');
  else if (ADMIN_PORT === grpc) raw.refuse('ADMIN_PORT', `is also ${grpcName}: choose another one`);
}

const everyAddress: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

function overlap(one: string, other: string): boolean {
  return one === other || everyAddress.has(one) || everyAddress.has(other);
}

/** The next port, so that two gateways only need different values of `PORT`. */
function portAfter(httpPort: number): number {
  return httpPort === 0 || httpPort === 65_535 ? 0 : httpPort + 1;
}

/** During a rotation both keys sign. */
function readCardKeys(raw: RawSettings): readonly SigningKey[] {
  const { PUBLIC_URL: publicUrl, ...values } = raw.values;
  const cardSigningKeys = (['CARD_SIGNING_KEY', 'CARD_SIGNING_KEYS'] as const).flatMap(
    (name) => raw.check(name, () => readSigningKeys(values[name] ?? '')) ?? [],
  );
  const problem = missingPublicUrlProblem({ publicUrl, cardSigningKeys });
  if (problem !== undefined) raw.refuse('PUBLIC_URL', problem);
  return cardSigningKeys;
}

function readPush(raw: RawSettings): PushSettings | undefined {
  const { PUSH, PUSH_ALLOW_HTTP: allowHttp, PUSH_ALLOW_HOSTS: allowHosts, PUSH_SIGNING_KEY = '' } = raw.values;
  const { PUSH_CLEAR: allowsClear, PUSH_VERIFY: asksConsent } = raw.values;
  const keys = raw.check('PUSH_SIGNING_KEY', () => readSigningKeys(PUSH_SIGNING_KEY)) ?? [];
  raw.check('PUSH_ALLOW_HOSTS', () => new AddressPolicy({ allowHttp, allowHosts }));
  if (!PUSH) return undefined;
  const publicKeys = keys.map(({ publicJwk }) => publicJwk);
  return { policy: { allowHttp, allowHosts }, publicKeys, allowsClear, asksConsent };
}
