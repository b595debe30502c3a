import type { Transport } from '@a2a-js/sdk/client';
import { GrpcTransportFactory } from '@a2a-js/sdk/client/grpc';
import {
  type ChannelCredentials,
  Client,
  credentials,
  InterceptingCall,
  type Interceptor,
  ListenerBuilder,
  RequesterBuilder,
} from '@grpc/grpc-js';
import { MAX_ANSWER_BYTES } from './wire.ts';

export interface GrpcOptions {
  readonly isInsecure: boolean;
  /** Undefined: nothing is logged. */
  readonly log: ((line: string) => void) | undefined;
}

/** The gRPC binding: with TLS, except for `http://…` and a loopback address without a scheme. */
export function grpcFactory(url: string, { isInsecure, log }: GrpcOptions) {
  return new GrpcTransportFactory({
    grpcChannelCredentials: channelCredentials(url, isInsecure),
    ...(log && { grpcCallOptions: { interceptors: [logging(log)] } }),
  });
}

/** A transport of the SDK, which passes no options to its channel, with a client that takes more than gRPC's 4 MiB. */
export function withLargeAnswers(transport: Transport, url: string, { isInsecure }: GrpcOptions): Transport {
  const holder: { grpcClient?: unknown } = Object(transport);
  if (!(holder.grpcClient instanceof Client)) return transport;
  const GrpcClient = holder.grpcClient.constructor as typeof Client;
  holder.grpcClient.close();
  holder.grpcClient = new GrpcClient(grpcTarget(url), channelCredentials(url, isInsecure), {
    'grpc.max_receive_message_length': MAX_ANSWER_BYTES,
  });
  return transport;
}

/** gRPC's schemes are names of resolvers. */
export function grpcTarget(url: string): string {
  return url.replace(/^https?:\/\//i, '').replace(/\/$/, '');
}

function channelCredentials(url: string, isInsecure: boolean): ChannelCredentials {
  return isPlain(url)
    ? credentials.createInsecure()
    : credentials.createSsl(null, null, null, { rejectUnauthorized: !isInsecure });
}

function isPlain(url: string): boolean {
  return /^http:\/\//i.test(url) || /^(?:dns:)?(?:localhost|127\.[\d.]+|\[::1\]):/.test(url);
}

function logging(log: (line: string) => void): Interceptor {
  return (options, next) => {
    log(`→ gRPC ${options.method_definition.path}`);
    const listener = new ListenerBuilder()
      .withOnReceiveMessage((message, pass) => {
        log(`← ${JSON.stringify(message)}`);
        pass(message);
      })
      .withOnReceiveStatus((status, pass) => {
        log(`← status ${status.code} ${status.details}`);
        pass(status);
      })
      .build();
    const requester = new RequesterBuilder()
      .withStart((metadata, _, start) => start(metadata, listener))
      .withSendMessage((message, send) => {
        log(`→ ${JSON.stringify(message)}`);
        send(message);
      })
      .build();
    return new InterceptingCall(next(options), requester);
  };
}
