import { type FileStore, filesAt } from '@switchyard/files';
import { isLoopback } from '@switchyard/settings';
import type { Logger } from 'pino';
import { AdminBackends } from './admin/admin-backends.ts';
import { AdminPort } from './admin/admin-port.ts';
import { fullVolume } from './admin/files.ts';
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
import { type Connect, Deployment, type GatewayStore } from './deployments/deployment.ts';
import { Deployments } from './deployments/deployments.ts';
import type { FileChanges } from './deployments/file-changes.ts';
import { type PlacedDeployment, Placement } from './deployments/placement.ts';
import { UnitedCredentials } from './deployments/united-credentials.ts';
import { UnitedRegistry } from './deployments/united-registry.ts';
import { networkOf } from './exchange/addresses.ts';
import { Listener } from './http/listener.ts';
import { createApp } from './http/router.ts';
import { Readiness } from './http/serve-health.ts';
import { Connections } from './limits/connections.ts';
import { createLimitedResources, type LimitedResources } from './limits/limited-resources.ts';
import { Rates } from './limits/rates.ts';
import type { Backend } from './operations/backend.ts';
import { bindOperations } from './operations/operations.ts';
import { createPushBackend, webhookConsent } from './operations/push-backend.ts';
import { defaultGatewaySettings, type GatewaySettings } from './settings/gateway-settings.ts';
import { anonymousAccessProblem } from './settings/identity-settings.ts';
import { Audit } from './telemetry/audit.ts';
import { createEmit } from './telemetry/emit.ts';
import type { Emit } from './telemetry/events.ts';
import { GatewayMetrics, type MetricSources } from './telemetry/metrics.ts';
import { previewOperations } from './v1_1/operations.ts';

/** One of several deployments. */
export interface ServedDeployment extends PlacedDeployment {
  readonly store: GatewayStore;
  readonly connect: Connect;
}

export interface GatewayDependencies {
  /** Started. With several deployments: of the one whose operators this gateway serves, and started by the gateway. */
  readonly store: GatewayStore;
  readonly log: Logger;
  /** All deployments, that of `store` too. Unset: only that one. */
  readonly several?: Several | undefined;
}

export interface Several {
  readonly deployments: readonly ServedDeployment[];
  /** Setting of the stores. */
  readonly idempotencyMs: number;
  /** How long the start waits for each. Default: 6 s. */
  readonly startWithinMs?: number;
  /** Of the file that names them; unset: it does not change. */
  readonly fileChanges?: Pick<FileChanges, 'text'> | undefined;
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
export function createGateway(given: Partial<GatewaySettings>, { store, log, several }: GatewayDependencies): Gateway {
  const settings = { ...defaultGatewaySettings, ...given };
  const resources = createLimitedResources(settings.resources, settings.auth);
  const timeoutMs = settings.storeTimeoutMs;
  const { home, deployments, listed } = deploymentsOf({ store, several, timeoutMs, emit: (event) => emit(event) });
  const { requests } = home;
  const files = settings.files && filesAt(settings.files.url, settings.files);
  // Metrics can only be read on the operators' port.
  const metrics = settings.admin && new GatewayMetrics(metricSources(home, listed, { resources, files }));
  if (metrics) for (const each of deployments) each.store.observe(metrics.observer);
  const audit = new Audit(settings.audit, {
    trail: requests.audit,
    log,
    networkOf,
    onDropped: (count) => emit({ kind: 'audit-dropped', count }),
  });
  const emit: Emit = createEmit(log, { metrics, audit });
  const united = several && new UnitedRegistry(deployments);
  const agents = new AgentDirectory(united ?? store.registry, settings, emit);
  const heldRequests = new HeldRequests();
  const credentials = several ? new UnitedCredentials(deployments) : requests.credentials;
  const authenticator = configuredAuthentication(settings.auth, { credentials, emit });
  const origins = new Origins(settings, authenticator.securityRequirements.length === 0);
  const grpcPort = (): number | undefined => grpc?.port;
  const cards = new Cards({ settings, authenticator, grpcPort, isDefault: (id) => id === agents.default?.id });
  const rates = new Rates(settings.rates, emit);
  const consent = webhookConsent(settings);
  const shared = { settings, files, cards, emit, consent };
  const own = backendOf(home, shared);
  const backends = new Map(deployments.map((each) => [each, each === home ? own : backendOf(each, shared)]));
  const routes = united && several && routesOf(several, backends, united);
  const backend: Backend = {
    ...own,
    ...(routes && { backendFor: (...request) => routes.backendFor(...request) }),
  };
  const operations = bindOperations(backend);
  const preview = settings.preview ? previewOperations(backend) : undefined;
  const readiness = new Readiness({
    availability: () => (routes ?? store).availability(),
    isStopping: () => stopped !== undefined,
    deployments: listed,
  });
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
    files,
    partsOf: (...named) => (routes?.holderOf(...named) ?? home).parts,
    allPartsOf: (...named) => routes?.allPartsOf(...named) ?? [home.parts],
    gate: new Gate({ authentication: authenticator, origins, resources, rates, emit }),
    heldRequests,
    emit,
    settings,
    grpcPort,
    httpUrl: () => httpUrl,
    consoleUrl: () => (isLoopback(settings.host) ? consoleUrl : undefined),
  };
  const grpc = settings.grpc && new GrpcListener(grpcServices(context), context);
  const clientsApp = createApp(context, readiness);
  const app = withCors(origins, clientsApp);
  const admin =
    settings.admin &&
    metrics &&
    new AdminPort(settings.admin, {
      backends: new AdminBackends(home, deployments, {
        deployments: listed,
        fileChanges: () => several?.fileChanges?.text,
        files,
        readiness: () => readiness.read(),
        streams: () => ({ used: resources.streams.taken, max: settings.resources.streams.total }),
        clientsNeedKeys: authenticator.securityRequirements.length > 0,
      }),
      metrics,
      emit,
      clients: authenticator,
      rates,
      served: clientsApp,
    });
  const listener = new Listener(app, {
    stallMs: settings.clientStallMs,
    onStalled: (res) => heldRequests.cut(res, 'slow-reader'),
    ...settings,
  });

  const connections = new Connections(settings.connections, emit);

  async function start(): Promise<Listening> {
    const problem = anonymousAccessProblem(settings);
    if (problem !== undefined) throw new Error(problem);
    const ofUrl = missingPublicUrlProblem(settings);
    if (ofUrl !== undefined) throw new Error(`PUBLIC_URL ${ofUrl}`);
    await Promise.all(deployments.map((each) => each.start()));
    await Promise.all([agents.start(), authenticator.start(), files?.start()]);
    if (settings.grpc) await grpc?.open(settings.host, settings.grpc);
    const adminUrl = await admin?.open();
    if (settings.admin?.hasConsole) consoleUrl = `${adminUrl}/console/`;
    const url = await listener.open(settings.host, settings.port);
    httpUrl = url;
    connections.start([listener.port, grpc?.port]);
    emit({ kind: 'listening', grpcPort: grpc?.port, adminUrl, url });
    return { url, grpcPort: grpc?.port, adminUrl };
  }

  async function stop(): Promise<void> {
    emit({ kind: 'stopping', drainMs: settings.drainMs });
    agents.stop();
    for (const each of deployments) each.stop();
    authenticator.stop();
    heldRequests.end();
    await Promise.all([listener.close(settings.drainMs), grpc?.close(settings.drainMs)]);
    connections.stop();
    consent?.stop();
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

interface Served extends Pick<GatewayDependencies, 'store' | 'several'> {
  readonly timeoutMs: number;
  readonly emit: Emit;
}

/** `home`: that of `store`. `listed`: unset if there is one. */
function deploymentsOf({ store, several, ...given }: Served) {
  const options = { ...given, startWithinMs: several?.startWithinMs };
  const own = several?.deployments.find((each) => each.store === store);
  const home = new Deployment(store.settings.deployment, { ...options, store, connect: own?.connect });
  const others = several?.deployments.filter((each) => each.store !== store) ?? [];
  const deployments = [home, ...others.map((each) => new Deployment(each.number, { ...options, ...each }))];
  return { home, deployments, listed: several && deployments };
}

function routesOf(
  { deployments, idempotencyMs }: Several,
  backends: ReadonlyMap<Deployment, Backend>,
  registry: UnitedRegistry,
): Deployments {
  return new Deployments(backends, { placement: new Placement(deployments), registry, idempotencyMs });
}

interface Shared extends Pick<Backend, 'files' | 'emit'>, Pick<GatewayContext, 'settings' | 'cards'> {
  readonly consent: ReturnType<typeof webhookConsent>;
}

function backendOf(
  { late, requests, ops, store }: Deployment,
  { settings, files, cards, emit, consent }: Shared,
): Backend {
  const { tasks, webhooks, schedules } = requests;
  const push = createPushBackend(settings, { webhooks, emit, consent });
  return { late, emit, tasks, files, diagnoses: ops.tasks, push, feeds: store.feeds, schedules, cards, settings };
}

function metricSources(
  { store, ops }: Deployment,
  several: readonly Deployment[] = [],
  { resources, files }: { readonly resources: LimitedResources; readonly files: FileStore | undefined },
): MetricSources {
  return {
    deployments: () => several,
    openStreams: () => resources.streams.taken,
    isRedisUp: () => store.isAnswering,
    agents: () => ops.agents.list(),
    tenants: () => ops.agents.waitingByTenant(),
    deadLetters: () => ops.deadLetters.count(),
    scheduledTasks: () => ops.scheduledTasks(),
    suspendedTurns: () => ops.suspendedTurns(),
    redisBytes: () => ops.redisBytes(),
    limits: async () => (await Promise.all([ops.limits(), fullVolume(files)])).flat(),
    kept: () => ops.keptTasks(),
  };
}

function grpcServices(context: GatewayContext): GrpcServices {
  const { legacyV03 } = context.settings;
  return { a2a: createService(context), legacy: legacyV03 ? createLegacyService(context) : undefined };
}
