import {
  type Metadata,
  ServerInterceptingCall,
  type ServerInterceptingCallInterface,
  type ServerInterceptor,
  type ServerListener,
  ServerListenerBuilder,
} from '@grpc/grpc-js';
import { A2AError, type Principal } from '@switchyard/protocol';
import { StreamSlots } from '../../call/stream-slots.ts';
import type { GatewayContext } from '../gateway-context.ts';
import { headersOf, Rpc } from './rpc.ts';
import { toRefusal } from './status-details.ts';

/** A call whose caller is known. */
export interface AdmittedCall {
  readonly principal: Principal;
  readonly rpc: Rpc;
}

export type AdmissionContext = Pick<GatewayContext, 'authenticator' | 'emit' | 'settings'>;

/** By its metadata, which is the same object from the interceptor to the method. */
const admitted = new WeakMap<Metadata, AdmittedCall>();

export function admittedCall({ metadata }: { readonly metadata: Metadata }): AdmittedCall {
  const call = admitted.get(metadata);
  if (!call) throw new TypeError('a call reached its method without admission');
  return call;
}

/** Probes ask without a key. */
const openPaths = new Set(['/grpc.health.v1.Health/Check', '/grpc.health.v1.Health/List']);
const watchPath = '/grpc.health.v1.Health/Watch';

/** Watches of the gateway's health: one for each load balancer. */
const MOST_WATCHES = 100;

/**
 * Admits calls by their metadata: of a refused call no byte of the message is read. The message of an admitted call
 * must arrive in time.
 */
export function admission(context: AdmissionContext): ServerInterceptor {
  const watches = new StreamSlots(MOST_WATCHES);
  return ({ path }, call) =>
    new ServerInterceptingCall(call, {
      start: (next) => next(new Arrival(context, { path, call, watches }).listener()),
    });
}

interface ArrivingCall {
  readonly path: string;
  readonly call: ServerInterceptingCallInterface;
  readonly watches: StreamSlots;
}

/** A call until its message has arrived. */
class Arrival {
  readonly #context: AdmissionContext;
  readonly #arriving: ArrivingCall;
  #timer: NodeJS.Timeout | undefined;
  #watch: Disposable | undefined;

  constructor(context: AdmissionContext, arriving: ArrivingCall) {
    this.#context = context;
    this.#arriving = arriving;
  }

  listener(): ServerListener {
    return new ServerListenerBuilder()
      .withOnReceiveMetadata((metadata, next) => {
        const rpc = new Rpc({ metadata, path: this.#arriving.path }, this.#context.emit);
        this.#admit(metadata, rpc).then(
          () => next(metadata),
          (thrown: unknown) => this.#refuse(rpc, thrown),
        );
      })
      .withOnReceiveHalfClose((next) => {
        clearTimeout(this.#timer);
        next();
      })
      .withOnCancel(() => {
        clearTimeout(this.#timer);
        this.#watch?.[Symbol.dispose]();
      })
      .build();
  }

  async #admit(metadata: Metadata, rpc: Rpc): Promise<void> {
    const { path, watches } = this.#arriving;
    const { authenticator, settings } = this.#context;
    const { messageMs } = settings.grpcLimits;
    this.#timer = setTimeout(() => this.#refuse(rpc, tooLate(messageMs)), messageMs);
    if (openPaths.has(path)) return;
    const principal = await authenticator.authenticate(headersOf(metadata));
    if (path === watchPath) this.#watch = watches.take();
    admitted.set(metadata, { principal, rpc });
  }

  #refuse(rpc: Rpc, thrown: unknown): void {
    clearTimeout(this.#timer);
    this.#arriving.call.sendStatus(toRefusal(rpc.refused(thrown)));
  }
}

function tooLate(ms: number): A2AError {
  return new A2AError('InvalidRequest', `The message of the call did not arrive within ${ms} ms`);
}
