import { GrpcTransportFactory } from '@a2a-js/sdk/client/grpc';
import { credentials, InterceptingCall, type Interceptor, ListenerBuilder, RequesterBuilder } from '@grpc/grpc-js';

export interface GrpcOptions {
  readonly isInsecure: boolean;
  /** Undefined: nothing is logged. */
  readonly log: ((line: string) => void) | undefined;
}

/** The gRPC binding: with TLS, except for `http://…` and a loopback address without a scheme. */
export function grpcFactory(url: string, { isInsecure, log }: GrpcOptions) {
  return new GrpcTransportFactory({
    grpcChannelCredentials: isPlain(url)
      ? credentials.createInsecure()
      : credentials.createSsl(null, null, null, { rejectUnauthorized: !isInsecure }),
    ...(log && { grpcCallOptions: { interceptors: [logging(log)] } }),
  });
}

/** gRPC's schemes are names of resolvers. */
export function grpcTarget(url: string): string {
  return url.replace(/^https?:\/\//i, '').replace(/\/$/, '');
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
