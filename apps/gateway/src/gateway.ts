import { filesAt } from '@switchyard/files';
import { Ops } from '@switchyard/operators';
import { isLoopback } from '@switchyard/settings';
import type { Feeds, Store } from '@switchyard/store';
import type { Logger } from 'pino';
import { AdminPort } from './admin/admin-port.ts';
import { SeriesRecorder, type SeriesSources } from './admin/series.ts';
import { Gate } from './admission/gate.ts';
import { Origins, withCors } from './admission/origins.ts';
import { AgentDirectory } from './agents/agent-directory.ts';
import { AgentSearch } from './agents/agent-search.ts';
import { Cards, missingPublicUrlProblem } from './agents/cards.ts';
import { configuredAuthentication } from './auth/authentication.ts';
import type { GatewayContext } from './bindings/gateway-context.ts';
import { GrpcListener, type GrpcServices } from './bindings/grpc/grpc-listener.ts';
import { createService } from './bindings/grpc/service.ts';
import { createLegacyService } from './bindings/v0_3/service.ts';
import { HeldRequests } from './call/held-requests.ts';
import { networkOf } from './exchange/addresses.ts';
import { Listener } from './http/listener.ts';
import { createApp } from './http/router.ts';
import { Readiness } from './http/serve-health.ts';
import { LateMessages } from './late-messages.ts';
import { Connections } from './limits/connections.ts';
import { createLimitedResources, type LimitedResources } from './limits/limited-resources.ts';
import { Rates } from './limits/rates.ts';
import { bindOperations } from './operations/operations.ts';
import { createPushBackend } from './operations/push-backend.ts';
import { defaultGatewaySettings, type GatewaySettings } from './settings/gateway-settings.ts';
import { anonymousAccessProblem } from './settings/identity-settings.ts';
import { Audit } from './telemetry/audit.ts';
import { createEmit } from './telemetry/emit.ts';
import type { Emit } from './telemetry/events.ts';
import { GatewayMetrics, type MetricSources } from './telemetry/metrics.ts';
import { previewOperations } from './v1_1/operations.ts';

/**
 * The part of a `Store` that a gateway uses. The owner of the store starts it before the gateway and stops it
 * afterwards.
 */
export interface GatewayStore
  extends Pick<
    Store,
    'conversations' | 'registry' | 'isAnswering' | 'availability' | 'forRequests' | 'observe' | 'timesToLive'
  > {
  readonly feeds: Pick<Feeds, 'follow' | 'presubscribe' | 'readersOf'>;
}

export interface GatewayDependencies {
  readonly store: GatewayStore;
  readonly log: Logger;
}

/** The addresses of a gateway. */
export interface Listening {
  readonly url: string;
  /** Unset without gRPC. */
  readonly grpcPort: number | undefined;
  /** Unset without a port for operators. */
  readonly adminUrl: string | undefined;
}

/** Settings from files, which can change while a gateway runs. */
export type ReloadedSettings = Pick<GatewaySettings, 'auth' | 'admin' | 'tls' | 'grpc'>;

export interface Gateway {
  /** Reads the announced agents, and listens. Rejects if settings forbid it or it fails. */
  start(): Promise<Listening>;
  /**
   * Replaces API keys, operators' keys and certificates; other settings are ignored. Streams continue unless their key
   * was removed.
   */
  reload(settings: ReloadedSettings): void;
  /**
   * Ends streams between two events, answers waiting calls with the current task, and lets requests finish. Idempotent;
   * resolves when everything is closed.
   */
  stop(): Promise<void>;
}

/** A gateway; any number of them serve the same tasks. Does nothing before `start`. */
export function createGateway(given: Partial<GatewaySettings>, { store, log }: GatewayDependencies): Gateway {
  const settings = { ...defaultGatewaySettings, ...given };
  const resources = createLimitedResources(settings.resources, settings.auth);
  const requests = store.forRequests(settings.storeTimeoutMs);
  const { tasks, webhooks, audit: trail } = requests;
  const ops = new Ops(requests);
  // Metrics can only be read on the operators' port.
  const metrics = settings.admin && new GatewayMetrics(metricSources(store, ops, resources));
  if (metrics) store.observe(metrics.observer);
  const audit = new Audit(settings.audit, {
    trail,
    log,
    networkOf,
    onDropped: (count) => emit({ kind: 'audit-dropped', count }),
  });
  const emit: Emit = createEmit(log, { metrics, audit });
  const agents = new AgentDirectory(store.registry, settings, emit);
  const heldRequests = new HeldRequests();
  const { credentials } = requests;
  const authenticator = configuredAuthentication(settings.auth, { credentials, emit });
  const origins = new Origins(settings, authenticator.securityRequirements.length === 0);
  const grpcPort = (): number | undefined => grpc?.port;
  const cards = new Cards({ settings, authenticator, grpcPort, isDefault: (id) => id === agents.default?.id });
  const readiness = new Readiness({
    availability: () => store.availability(),
    isStopping: () => stopped !== undefined,
  });
  const rates = new Rates(settings.rates, emit);
  const push = createPushBackend(settings, { webhooks, emit });
  const late = new LateMessages(store, emit);
  const files = settings.files && filesAt(settings.files.url, settings.files);
  const backend = {
    late,
    emit,
    tasks,
    files,
    diagnoses: ops.tasks,
    push,
    feeds: store.feeds,
    schedules: requests.scheduleList,
    cards,
    settings,
  };
  const operations = bindOperations(backend);
  const preview = settings.preview ? previewOperations(backend) : undefined;
  let stopped: Promise<void> | undefined;
  let httpUrl: string | undefined;
  let consoleUrl: string | undefined;
  const context: GatewayContext = {
    operations,
    preview,
    agents,
    search: new AgentSearch(agents),
    isAnonymous: authenticator.securityRequirements.length === 0,
    cards,
    tasks,
    files,
    waits: requests.waits,
    conversations: requests.conversations,
    schedules: requests.scheduleList,
    conversationFeeds: store.conversations,
    gate: new Gate({ authentication: authenticator, origins, resources, rates, emit }),
    heldRequests,
    emit,
    settings,
    grpcPort,
    httpUrl: () => httpUrl,
    consoleUrl: () => (isLoopback(settings.host) ? consoleUrl : undefined),
  };
  const grpc = settings.grpc && new GrpcListener(grpcServices(context), context);
  const served = createApp(context, readiness);
  const app = withCors(origins, served);
  const admin =
    settings.admin &&
    metrics &&
    new AdminPort(settings.admin, {
      backend: {
        ops,
        credentials,
        schedules: requests.scheduleList,
        audit: trail,
        feeds: store.feeds,
        files,
        readiness: () => readiness.read(),
        streams: () => ({ used: resources.streams.taken, max: settings.resources.streams.total }),
        clientsNeedKeys: authenticator.securityRequirements.length > 0,
      },
      series: new SeriesRecorder(seriesSources(ops, resources)),
      metrics,
      emit,
      clients: authenticator,
      rates,
      served,
    });
  const listener = new Listener(app, {
    stallMs: settings.clientStallMs,
    onStalled: (res) => heldRequests.cut(res, 'slow-reader'),
    ...settings,
  });

  const connections = new Connections(settings.connections, emit);

  async function start(): Promise<Listening> {
    const problem = anonymousAccessProblem(settings) ?? missingPublicUrlProblem(settings);
    if (problem !== undefined) throw new Error(problem);
    await Promise.all([agents.start(), authenticator.start(), files?.start()]);
    if (settings.grpc) await grpc?.open(settings.host, settings.grpc);
    const adminUrl = await admin?.open();
    if (settings.admin?.hasConsole) consoleUrl = `${adminUrl}/console/`;
    const url = await listener.open(settings.host, settings.port);
    httpUrl = url;
    connections.start([listener.port, grpc?.port]);
    late.start();
    emit({ kind: 'listening', grpcPort: grpc?.port, adminUrl, url });
    return { url, grpcPort: grpc?.port, adminUrl };
  }

  async function stop(): Promise<void> {
    emit({ kind: 'stopping', drainMs: settings.drainMs });
    agents.stop();
    late.stop();
    authenticator.stop();
    heldRequests.end();
    await Promise.all([listener.close(settings.drainMs), grpc?.close(settings.drainMs)]);
    connections.stop();
    push?.consent?.stop();
    await admin?.close(settings.drainMs);
    await audit.stop();
    emit({ kind: 'stopped' });
  }

  function reload({ auth, admin: operators, tls, grpc: rpc }: ReloadedSettings): void {
    authenticator.reload(auth);
    if (operators) admin?.reload(operators);
    listener.reload(tls);
    grpc?.reload(rpc?.tls);
  }

  return { start, reload, stop: () => (stopped ??= stop()) };
}

function metricSources(store: GatewayStore, ops: Ops, { streams }: LimitedResources): MetricSources {
  return {
    openStreams: () => streams.taken,
    isRedisUp: () => store.isAnswering,
    agents: () => ops.agents.list(),
    tenants: () => ops.agents.waitingByTenant(),
    deadLetters: () => ops.deadLetters.count(),
    scheduledTasks: () => ops.scheduledTasks(),
    suspendedTurns: () => ops.suspendedTurns(),
    redisBytes: () => ops.redisBytes(),
    limits: () => ops.limits(),
    kept: () => ops.keptTasks(),
  };
}

function seriesSources(ops: Ops, { streams }: LimitedResources): SeriesSources {
  return {
    queues: () => ops.queues(),
    redisBytes: () => ops.redisBytes(),
    workers: () => ops.workers.list(),
    openStreams: () => streams.taken,
  };
}

function grpcServices(context: GatewayContext): GrpcServices {
  const { legacyV03 } = context.settings;
  return { a2a: createService(context), legacy: legacyV03 ? createLegacyService(context) : undefined };
}
