import type { PeerCertificate } from 'node:tls';
import {
  type Metadata,
  ServerInterceptingCall,
  type ServerInterceptingCallInterface,
  type ServerInterceptor,
  type ServerListener,
  ServerListenerBuilder,
  status,
} from '@grpc/grpc-js';
import { A2AError } from '@switchyard/protocol';
import type { Admission } from '../../admission/admission.ts';
import { isAction } from '../../admission/scopes.ts';
import { clientAddress, withoutPort } from '../../exchange/addresses.ts';
import { LimitedResource } from '../../limits/limited-resources.ts';
import type { GatewayContext } from '../gateway-context.ts';
import { headersOf, Rpc } from './rpc.ts';
import { toRefusal, withShortTrailers } from './status-details.ts';

/** A call whose caller is authenticated. */
export interface AdmittedCall {
  readonly admission: Admission;
  readonly rpc: Rpc;
}

export type AdmissionContext = Pick<GatewayContext, 'gate' | 'emit' | 'settings' | 'files'>;

/** By its metadata, which is the same object in the interceptor and in the method. */
const admitted = new WeakMap<Metadata, AdmittedCall>();

export function admittedCall({ metadata }: { readonly metadata: Metadata }): AdmittedCall {
  const call = admitted.get(metadata);
  if (!call) throw new TypeError('a call reached its method without admission');
  return call;
}

/** Bytes that are not a message of the method; the library would report an internal error. */
export class UnreadableMessage {
  readonly refusal: A2AError;

  constructor(thrown: unknown) {
    const isOurs = thrown instanceof A2AError;
    this.refusal = isOurs ? thrown : new A2AError('InvalidRequest', 'The message is not valid for this method');
  }
}

/** Health probes need no key. */
const publicPaths = new Set(['/grpc.health.v1.Health/Check', '/grpc.health.v1.Health/List']);
const watchPath = '/grpc.health.v1.Health/Watch';

/** Maximum wait for the message of a caller without a key. */
const PUBLIC_MESSAGE_MS = 1_000;

/** A message that takes longer counts as bytes in flight. */
const QUICK_MS = 500;

/** Maximum number of health watches: one for each load balancer. */
const MAX_WATCHES = 100;

/**
 * Admits calls by their metadata, before any byte of the message is read. The message of an admitted call must arrive
 * in time.
 * @param healthNames that may be watched: the health service would keep any other name for ever
 */
export function admission(context: AdmissionContext, healthNames: readonly string[]): ServerInterceptor {
  const watches = new LimitedResource('watches', {
    total: MAX_WATCHES,
    perTenant: MAX_WATCHES,
    perPrincipal: MAX_WATCHES,
  });
  return ({ path }, call) => {
    correctStatuses(call, context.files !== undefined);
    return new ServerInterceptingCall(call, {
      start: (next) => next(new PendingCall(context, { path, call, watches, healthNames }).listener()),
    });
  };
}

/** What the library says of a message that is larger than MAX_BODY_BYTES. */
const tooLarge = /^Received message larger than max/;
const hint = 'send its files to POST /files of the HTTP endpoint, and in the message their URLs';
/** Errors that the library reports as INTERNAL before our code runs. */
const clientErrors = /^Invalid grpc-timeout|^Failed to decompress/;

/**
 * Changes statuses of the library and of the SDK before they are sent. INTERNAL is reserved for our own faults, because
 * it alarms operators. Their messages may repeat a long name of the client.
 */
function correctStatuses(call: ServerInterceptingCallInterface, hasFiles: boolean): void {
  const send = call.sendStatus.bind(call);
  call.sendStatus = ({ code, details: given = '', ...answer }) => {
    const isClientError = code === status.INTERNAL && clientErrors.test(given);
    const details = hasFiles && tooLarge.test(given) ? `${given}: ${hint}` : given;
    send(withShortTrailers({ ...answer, details, code: isClientError ? status.INVALID_ARGUMENT : code }));
  };
}

interface IncomingCall {
  readonly path: string;
  readonly call: ServerInterceptingCallInterface;
  readonly watches: LimitedResource;
  readonly healthNames: readonly string[];
}

/** A call until its message has arrived. */
class PendingCall {
  readonly #context: AdmissionContext;
  readonly #incoming: IncomingCall;
  #rpc: Rpc | undefined;
  #timer: NodeJS.Timeout | undefined;
  readonly #held = new DisposableStack();
  #admission: Admission | undefined;
  #hasMessage = false;
  #isServed = false;
  #isOver = false;

  constructor(context: AdmissionContext, incoming: IncomingCall) {
    this.#context = context;
    this.#incoming = incoming;
  }

  listener(): ServerListener {
    return new ServerListenerBuilder()
      .withOnReceiveMetadata((metadata, next) => {
        const rpc = new Rpc({ metadata, path: this.#incoming.path }, this.#context.emit);
        this.#rpc = rpc;
        this.#admit(metadata, rpc).then(
          () => next(metadata),
          (thrown: unknown) => this.#refuse(rpc, thrown),
        );
      })
      .withOnReceiveMessage((message: unknown, next) => {
        this.#hasMessage = true;
        if (this.#rpc && message instanceof UnreadableMessage) this.#refuse(this.#rpc, message.refusal);
        else if (this.#rpc && !this.#isKnownService(message))
          this.#refuse(this.#rpc, new A2AError('NotFound', 'No such service'));
        else next(message);
      })
      .withOnReceiveHalfClose((next) => {
        clearTimeout(this.#timer);
        this.#admission?.release();
        this.#isServed = this.#hasMessage;
        next();
      })
      .withOnCancel(() => this.#end())
      .build();
  }

  async #admit(metadata: Metadata, rpc: Rpc): Promise<void> {
    const { path, call, watches } = this.#incoming;
    const { gate, settings } = this.#context;
    const isPublic = publicPaths.has(path);
    const messageMs = Math.min(settings.grpcLimits.messageMs, isPublic ? PUBLIC_MESSAGE_MS : Infinity);
    this.#await(rpc, messageMs);
    if (isPublic) return;
    const headers = headersOf(metadata);
    const admission = await gate.admit({
      headers,
      // The port differs for each connection; equal failures are only recognised without it.
      address: clientAddress(withoutPort(call.getPeer()), headers['x-forwarded-for'], settings.rates.proxies),
      certificate: verifiedCertificate(call),
      host: call.getHost(),
      isSafe: false,
      requestId: rpc.requestId,
      answer: rpc,
    });
    if (this.#isOver) return admission[Symbol.dispose]();
    this.#held.use(admission);
    this.#admission = admission;
    const action = path.slice(path.lastIndexOf('/') + 1);
    if (isAction(action)) admission.permit(action);
    if (path === watchPath) this.#held.use(watches.take(admission.principal));
    admitted.set(metadata, { admission, rpc });
  }

  /** The library delivers only whole messages; until then a message may use memory up to the limit. */
  #await(rpc: Rpc, messageMs: number): void {
    const quickMs = Math.min(QUICK_MS, messageMs / 2);
    const reserve = (): void => {
      try {
        this.#admission?.reserve(this.#context.settings.maxBodyBytes);
        this.#timer = setTimeout(() => this.#refuse(rpc, tooLate(messageMs)), messageMs - quickMs);
      } catch (refusal) {
        this.#refuse(rpc, refusal);
      }
    };
    this.#timer = setTimeout(reserve, quickMs);
  }

  #isKnownService(message: unknown): boolean {
    const { path, healthNames } = this.#incoming;
    if (path !== watchPath) return true;
    const { service } = message as { readonly service: string };
    return healthNames.includes(service);
  }

  #refuse(rpc: Rpc, thrown: unknown): void {
    clearTimeout(this.#timer);
    const refusal = toRefusal(rpc.refused(thrown));
    rpc.addRates(refusal.metadata);
    this.#incoming.call.sendStatus(refusal);
  }

  /** gRPC calls this once for every call; a call that reached its method is reported by the method. */
  #end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#held.dispose();
    if (!this.#isServed) this.#rpc?.cancelled();
  }
}

/** The library has a certificate only if a trusted authority signed it; its type lacks the fields of TLS servers. */
function verifiedCertificate(call: ServerInterceptingCallInterface): PeerCertificate | undefined {
  return call.getAuthContext().sslPeerCertificate;
}

function tooLate(ms: number): A2AError {
  return new A2AError('InvalidRequest', `The message of the call did not arrive within ${ms} ms`);
}
