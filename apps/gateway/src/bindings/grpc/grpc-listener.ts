import { promisify } from 'node:util';
import { LegacyA2AService } from '@a2a-js/sdk/compat/v0_3/server/grpc';
import { A2AService } from '@a2a-js/sdk/server/grpc';
import { type ChannelOptions, Server, type ServiceDefinition, type UntypedServiceImplementation } from '@grpc/grpc-js';
import { urlHost } from '@switchyard/settings';
import { HealthImplementation } from 'grpc-health-check';
import type { TlsSettings } from '../../settings/connection-settings.ts';
import type { GrpcLimits, GrpcSettings } from '../../settings/gateway-settings.ts';
import { withPreviewFields } from '../../v1_1/grpc-fields.ts';
import type { GatewayContext } from '../gateway-context.ts';
import { type AdmissionContext, admission, UnreadableMessage } from './admission.ts';
import { boundedService, type ConfigurationFields } from './bounded-reader.ts';
import { createGrpcCredentials } from './grpc-credentials.ts';
import { StreamGuard } from './stream-guard.ts';

/** The last is `if_generation_match` of the draft of 1.1. */
const configuration: ConfigurationFields = { at: 3, last: 5 };
const legacyConfiguration: ConfigurationFields = { at: 2, last: 4 };

/** Names for health checks: '' is the whole server. */
const healthNames = ['', 'lf.a2a.v1.A2AService', 'a2a.v1.A2AService'];

export interface GrpcServices {
  readonly a2a: UntypedServiceImplementation;
  /** The service of version 0.3; unset: not served. */
  readonly legacy: UntypedServiceImplementation | undefined;
}

type ListenerContext = AdmissionContext & Pick<GatewayContext, 'heldRequests'>;

/** The gRPC port cannot be opened. */
export class GrpcUnavailable extends Error {
  override readonly name = 'GrpcUnavailable';

  constructor(address: string, cause: unknown) {
    // grpc-js puts the reason in brackets, after the number of addresses.
    const text = cause instanceof Error ? cause.message : String(cause);
    const reason = text.slice(text.indexOf('[') + 1).replace(']', '');
    super(`gRPC cannot listen on ${address} (${reason}): choose another GRPC_PORT, or off`, {
      cause,
    });
  }
}

/** The gRPC server. It stops gracefully. */
export class GrpcListener {
  readonly #server: Server;
  readonly #health = new HealthImplementation();
  readonly #guard: StreamGuard;
  #credentials = createGrpcCredentials(undefined);
  #port: number | undefined;

  /** A larger message ends with RESOURCE_EXHAUSTED; a client that does not answer a ping is disconnected. */
  constructor({ a2a, legacy }: GrpcServices, context: ListenerContext) {
    const { maxBodyBytes, maxBodyValues, unknownConfiguration, clientStallMs, grpcLimits, preview } = context.settings;
    const { heldRequests } = context;
    this.#server = new Server({
      'grpc.max_receive_message_length': maxBodyBytes,
      'grpc.keepalive_time_ms': clientStallMs,
      ...limitOptions(grpcLimits),
      interceptors: [admission(context, healthNames)],
    });
    this.#guard = new StreamGuard({
      stallMs: clientStallMs,
      ageGraceMs: grpcLimits.ageGraceMs,
      onOld: (peer) => heldRequests.cut(peer, 'old-connection'),
    });
    const isStrict = unknownConfiguration === 'refuse';
    const bounds = { maxValues: maxBodyValues, configuration: isStrict ? configuration : undefined };
    const service = boundedService(A2AService, bounds);
    this.#server.addService(readingAll(preview ? withPreviewFields(service) : service), a2a);
    if (legacy)
      this.#server.addService(
        readingAll(
          boundedService(LegacyA2AService, { ...bounds, configuration: isStrict ? legacyConfiguration : undefined }),
        ),
        legacy,
      );
    this.#health.addToServer(this.#server);
  }

  /** Unset until it listens. */
  get port(): number | undefined {
    return this.#port;
  }

  /** Rejects if it cannot listen, for example because the port is in use. */
  async open(host: string, { port, tls }: GrpcSettings): Promise<void> {
    this.#credentials = createGrpcCredentials(tls);
    const bind = promisify(this.#server.bindAsync.bind(this.#server));
    const address = `${urlHost(host)}:${port}`;
    this.#port = await bind(address, this.#credentials.credentials).catch((cause: unknown) => {
      throw new GrpcUnavailable(address, cause);
    });
    this.#guard.start(this.#port);
    this.#setHealth('SERVING');
  }

  /** Replaces the certificate for new connections. */
  reload(tls: TlsSettings | undefined): void {
    this.#credentials.reload(tls);
  }

  /** Refuses new calls, and gives running ones `drainMs` to finish. */
  async close(drainMs: number): Promise<void> {
    this.#setHealth('NOT_SERVING');
    const forced = Promise.withResolvers<void>();
    const cut = setTimeout(() => {
      this.#server.forceShutdown();
      forced.resolve();
    }, drainMs);
    // gRPC may wait for ever for a connection that its client closes at the same time.
    await Promise.race([promisify(this.#server.tryShutdown.bind(this.#server))(), forced.promise]);
    clearTimeout(cut);
    this.#guard.stop();
  }

  #setHealth(status: 'SERVING' | 'NOT_SERVING'): void {
    for (const name of healthNames) this.#health.setStatus(name, status);
  }
}

/** Passes unreadable messages on, so that the admission can refuse them. */
function readingAll(service: ServiceDefinition): ServiceDefinition {
  const methods = Object.entries(service).map(([name, method]) => {
    const requestDeserialize = (bytes: Buffer): unknown => {
      try {
        return method.requestDeserialize(bytes);
      } catch (thrown) {
        return new UnreadableMessage(thrown);
      }
    };
    return [name, { ...method, requestDeserialize }];
  });
  return Object.fromEntries(methods);
}

/** How long the calls of an old connection have to end with their status. */
const LAST_STATUS_MS = 1_000;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

function limitOptions({ streams, bytes, idleMs, ageMs, ageGraceMs }: GrpcLimits): ChannelOptions {
  return {
    'grpc.max_concurrent_streams': streams,
    // Node's unit is a million bytes.
    'grpc-node.max_session_memory': Math.ceil(bytes / 1e6),
    'grpc.max_connection_idle_ms': idleMs,
    'grpc.max_connection_age_ms': ageMs,
    // The library cuts a connection without a status.
    'grpc.max_connection_age_grace_ms': Math.min(ageGraceMs + LAST_STATUS_MS, LONGEST_TIMER_MS),
  };
}
