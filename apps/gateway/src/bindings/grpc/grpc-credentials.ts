import { ServerCredentials } from '@grpc/grpc-js';
import { type TlsSettings, tlsOptions } from '../../settings/connection-settings.ts';

/** The certificate of the gRPC port. */
export interface GrpcCredentials {
  readonly credentials: ServerCredentials;
  /** Replaces the certificate for new connections. */
  reload(tls: TlsSettings | undefined): void;
}

/** @param tls unset: without TLS */
export function createGrpcCredentials(tls: TlsSettings | undefined): GrpcCredentials {
  if (!tls) return { credentials: ServerCredentials.createInsecure(), reload: () => undefined };
  const credentials = new TlsCredentials(tls);
  return { credentials, reload: (changed) => changed && credentials.reload(changed) };
}

/** The same options as for HTTP. (The library's own credentials have no minimum version, and cannot be changed.) */
class TlsCredentials extends ServerCredentials {
  /** Options of the server, such as `requestCert`, are given with those of the certificate. */
  constructor(tls: TlsSettings) {
    super({}, tlsOptions(tls));
  }

  reload(tls: TlsSettings): void {
    this.updateSecureContextOptions(tlsOptions(tls));
  }

  override _equals(other: ServerCredentials): boolean {
    return this === other;
  }
}
