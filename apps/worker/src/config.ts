import { existsSync, globSync } from 'node:fs';
import { resolve } from 'node:path';
import { requireArchiveUrl } from '@switchyard/archive';
import { requireFilesUrl } from '@switchyard/files';
import {
  AddressPolicy,
  type AddressPolicySettings,
  noProxies,
  type ProxySettings,
  readProxies,
} from '@switchyard/outgoing';
import {
  collector,
  type Environment,
  readCommandLine,
  readOperatorKey,
  readSecret,
  readSigningKeys,
  Settings,
  storeSettings,
} from '@switchyard/settings';
import type { StoreSettings } from '@switchyard/store';
import type { LogFormat, TraceSettings } from '@switchyard/telemetry';
import type { LevelWithSilent } from 'pino';
import { findAgents } from './agents/find-agents.ts';
import { type Predecessor, readPredecessor } from './blocked/predecessor.ts';
import { isAgentUrl } from './external-agents/sources.ts';
import type { FileSettings } from './files/worker-files.ts';
import type { ArchiveSettings } from './maintenance/archiving.ts';
import { COPY_WITHIN_MS } from './pace/copy-pace.ts';
import { ModelLimits } from './pace/model-limits.ts';
import { PriceTable } from './prices/price-table.ts';
import { defaultPushSettings, type PushSettings } from './push/push-settings.ts';
import type { MetricsSettings } from './telemetry/metrics-port.ts';
import type { WorkerSettings } from './worker.ts';

export interface WorkerConfig {
  readonly store: Partial<StoreSettings> & Pick<StoreSettings, 'redisUrl'>;
  readonly worker: WorkerSettings;
  /** URL of the archive; unset: ended tasks are gone when Redis forgets them. */
  readonly archiveUrl: string | undefined;
  /** Unset: the worker serves no metrics. */
  readonly metrics: MetricsSettings | undefined;
  readonly logLevel: LevelWithSilent;
  readonly logFormat: LogFormat;
  /** Level of agents' lines; unset: `logLevel`. */
  readonly agentLogLevel: LevelWithSilent | undefined;
  readonly traces: TraceSettings;
  readonly proxies: ProxySettings;
  /** How long an agent may block the worker; 0: for ever. */
  readonly maxBlockedMs: number;
}

export interface WorkerArguments {
  /** Paths of modules, of YAML files with agents that run elsewhere, and URLs of such agents. */
  readonly agentModules: readonly string[];
  /** The worker may run no agents: it delivers webhooks, and recovers the turns of crashed workers. */
  readonly isForMaintenance: boolean;
  /** A new worker takes over whenever a module of the agents changes. */
  readonly watch: boolean;
  /** This worker was started by such a supervisor, and reports to it which modules it loads. */
  readonly isWatched: boolean;
  /** Prints the agents as JSON, and runs none. */
  readonly isList: boolean;
  /** Set by a supervisor: a signal has ended the worker that ran before. */
  readonly predecessor: Predecessor | undefined;
}

type RawSettings = Settings<'worker'>;

/** @throws {SettingsError} naming every setting that cannot be used */
export function readConfig(environment: Environment): WorkerConfig {
  const raw = new Settings('worker', environment);
  const { values } = raw;
  const config = {
    store: {
      ...storeSettings(raw),
      maxAttempts: values.MAX_ATTEMPTS,
      reclaimAfterMs: values.PUSH_RECLAIM_AFTER_MS,
      publishUsage: values.PUBLISH_USAGE,
      usageRetentionMs: values.USAGE_RETENTION_MS,
    },
    worker: {
      drainMs: values.DRAIN_MS,
      sweepEveryMs: values.SWEEP_MS,
      publicUrl: values.PUBLIC_URL,
      push: readPush(raw),
      calls: readCalls(raw),
      prices: readPrices(raw),
      limits: readLimits(raw),
      files: readFiles(raw),
      archive: readArchive(raw),
    },
    archiveUrl: values.ARCHIVE_URL,
    metrics: readMetrics(raw),
    logLevel: values.LOG_LEVEL,
    logFormat: values.LOG_FORMAT,
    agentLogLevel: values.AGENT_LOG_LEVEL,
    traces: { collector: collector(values), queue: values.TRACE_QUEUE },
    proxies: raw.check('HTTPS_PROXY', () => readProxies(environment)) ?? noProxies,
    maxBlockedMs: values.MAX_BLOCKED_MS,
  };
  raw.requireValid();
  return config;
}

/** @returns undefined: this worker has no port for metrics */
function readMetrics(raw: RawSettings): MetricsSettings | undefined {
  const { METRICS_PORT: port, METRICS_HOST: host, METRICS_KEY, METRICS_KEY_FILE } = raw.values;
  const key = raw.check('METRICS_KEY', () => readOperatorKey(METRICS_KEY, METRICS_KEY_FILE));
  return port === undefined ? undefined : { host, port, ...(key && { key }) };
}

/** @returns undefined: this worker delivers no push notifications */
function readPush(raw: RawSettings): PushSettings | undefined {
  const { values } = raw;
  const policy = { allowHttp: values.PUSH_ALLOW_HTTP, allowHosts: values.PUSH_ALLOW_HOSTS };
  raw.check('PUSH_ALLOW_HOSTS', () => new AddressPolicy(policy));
  // The first key signs. The gateways publish all of them, so that keys can be rotated.
  const [signingKey] = raw.check('PUSH_SIGNING_KEY', () => readSigningKeys(values.PUSH_SIGNING_KEY ?? '')) ?? [];
  if (!values.PUSH) return undefined;
  return {
    ...defaultPushSettings,
    chunks: values.PUSH_CHUNKS,
    concurrency: values.PUSH_CONCURRENCY,
    timeoutMs: values.PUSH_TIMEOUT_MS,
    maxAttempts: values.PUSH_MAX_ATTEMPTS,
    maxAgeMs: values.PUSH_MAX_AGE_MS,
    backoffMs: values.PUSH_BACKOFF_MS,
    policy,
    signingKey,
    claimEveryMs: values.SWEEP_MS,
  };
}

function readPrices(raw: RawSettings): PriceTable | undefined {
  const { MODEL_PRICES: path } = raw.values;
  return path === undefined ? undefined : raw.check('MODEL_PRICES', () => PriceTable.read(path));
}

/** @returns undefined: agents write no files */
function readFiles(raw: RawSettings): FileSettings | undefined {
  const { FILES_URL: url, FILES_UNUSED_MS: unusedMs, FILES_SWEEP_MS: sweepEveryMs, ...values } = raw.values;
  if (url === undefined) return undefined;
  const { MAX_FILE_BYTES: maxFileBytes, MAX_FILE_BYTES_PER_PRINCIPAL: maxBytesPerPrincipal } = values;
  const { INLINE_FILE_BYTES: inlineBytes, MAX_BODY_BYTES: maxRawBytes } = values;
  const secret = readSecret(raw, 'FILES_SECRET_FILE');
  return {
    url: raw.check('FILES_URL', () => requireFilesUrl(url)) ?? '',
    secrets: [...values.FILES_SECRET, ...(secret ? [secret] : [])],
    maxFileBytes,
    maxBytesPerPrincipal,
    maxRawBytes,
    ...(inlineBytes > 0 && { inlineBytes }),
    unusedMs,
    sweepEveryMs,
  };
}

/** @returns undefined: there is no archive */
function readArchive(raw: RawSettings): ArchiveSettings | undefined {
  const { ARCHIVE_URL: url, ARCHIVE_AFTER_MS: afterMs, ARCHIVE_RETENTION_MS: retentionMs, RETENTION_MS } = raw.values;
  if (url === undefined) return undefined;
  raw.check('ARCHIVE_URL', () => requireArchiveUrl(url));
  if (afterMs + COPY_WITHIN_MS > RETENTION_MS)
    raw.refuse(
      'RETENTION_MS',
      `must be ARCHIVE_AFTER_MS and ${COPY_WITHIN_MS} at least: Redis forgets a task before it is copied`,
    );
  if (retentionMs > 0 && retentionMs < RETENTION_MS)
    raw.refuse(
      'ARCHIVE_RETENTION_MS',
      'must be 0, or RETENTION_MS at least: a check would find tasks missing that Redis still has',
    );
  return { afterMs, retentionMs };
}

function readLimits(raw: RawSettings): ModelLimits | undefined {
  const { MODEL_LIMITS: path } = raw.values;
  return path === undefined ? undefined : raw.check('MODEL_LIMITS', () => ModelLimits.read(path));
}

/** Where agents may be called by URL. */
function readCalls(raw: RawSettings): AddressPolicySettings {
  const { AGENT_ALLOW_HTTP: allowHttp, AGENT_ALLOW_HOSTS: allowHosts } = raw.values;
  raw.check('AGENT_ALLOW_HOSTS', () => new AddressPolicy({ allowHttp, allowHosts }));
  return { allowHttp, allowHosts };
}

/** @returns the text of --help, if requested @throws {UsageError} */
export function readArguments(args: readonly string[], { INIT_CWD }: Environment): WorkerArguments | string {
  const line = readCommandLine(
    {
      usage: 'switchyard worker [--watch] [<module> | <URL> | <file.yaml> …] | --maintenance',
      text: workerText,
      options: {
        agents: { type: 'string', multiple: true },
        maintenance: { type: 'boolean', default: false },
        watch: { type: 'boolean', default: false },
        watched: { type: 'boolean', default: false },
        list: { type: 'boolean', default: false },
        predecessor: { type: 'string', default: '' },
      },
      allowPositionals: true,
      settingsOf: ['worker'],
    },
    args,
  );
  if (line.help !== undefined) return line.help;
  const { agents = [], maintenance, watch, watched, list } = line.values;
  const predecessor = readPredecessor(line.values.predecessor);
  const named = [...agents, ...line.positionals].flatMap((source) =>
    isAgentUrl(source) ? [source] : filesOf(pathOf(source, INIT_CWD)),
  );
  const agentModules = named.length > 0 || maintenance ? named : findAgents(resolve(INIT_CWD ?? ''));
  return { agentModules, isForMaintenance: maintenance, watch, isWatched: watched, isList: list, predecessor };
}

const workerText = `Runs agents. A module exports one; a pattern such as "agents/*.ts" names several modules. An agent that
runs elsewhere is named by its URL, as in [<id>=]https://host/path, or in a YAML file. Without arguments: agent.ts of
this folder, or else the agents in agents/.

  --watch        loads agents again when their files change
  --list         prints the agents as JSON, and runs none
  --maintenance  runs no agents: delivers webhooks, and recovers the turns of crashed workers

The same program is switchyard-worker (package @switchyard/worker), npm run worker -- (a checkout) and the command worker
of the image.`;

/** npm runs scripts in the package's folder; a path is relative to the folder where npm was called. */
function pathOf(module: string, calledIn: string | undefined): string {
  const path = resolve(calledIn ?? '', module);
  return existsSync(resolve(module)) && !existsSync(path) ? resolve(module) : path;
}

/** The files that match a pattern: where no shell expands it, as in a container, the worker must. */
function filesOf(path: string): string[] {
  if (!/[*?[{]/.test(path) || existsSync(path)) return [path];
  const files = globSync(path).sort();
  return files.length > 0 ? files : [path];
}
