import { experimental, ServerCredentials } from '@grpc/grpc-js';
import type { TlsSettings } from '../../settings/connection-settings.ts';

/** TLS of gRPC: a client's certificate is asked for, and not required, if there is a name of who may have signed it. */
export class GrpcCredentials {
  readonly #provider = new Provider();
  readonly credentials: ServerCredentials;

  /** @param tls unset: in clear */
  constructor(tls: TlsSettings | undefined) {
    if (tls) this.#provider.set(tls);
    this.credentials = tls
      ? experimental.createCertificateProviderServerCredentials(
          this.#provider,
          tls.clientAuthorities ? this.#provider : null,
          false,
        )
      : ServerCredentials.createInsecure();
  }

  /** Takes another certificate, for connections from now on. */
  reload(tls: TlsSettings | undefined): void {
    if (tls) this.#provider.set(tls);
  }
}

/** What the library wants to be told of, a moment later: it adds its listener before it is ready to hear. */
class Provider implements experimental.CertificateProvider {
  readonly #ofServer = new Set<experimental.IdentityCertificateUpdateListener>();
  readonly #ofAuthorities = new Set<experimental.CaCertificateUpdateListener>();
  #tls: TlsSettings | undefined;

  set(tls: TlsSettings): void {
    this.#tls = tls;
    for (const listener of this.#ofAuthorities) this.#tellAuthorities(listener);
    for (const listener of this.#ofServer) this.#tellServer(listener);
  }

  addIdentityCertificateListener(listener: experimental.IdentityCertificateUpdateListener): void {
    this.#ofServer.add(listener);
    queueMicrotask(() => this.#tellServer(listener));
  }

  removeIdentityCertificateListener(listener: experimental.IdentityCertificateUpdateListener): void {
    this.#ofServer.delete(listener);
  }

  addCaCertificateListener(listener: experimental.CaCertificateUpdateListener): void {
    this.#ofAuthorities.add(listener);
    queueMicrotask(() => this.#tellAuthorities(listener));
  }

  removeCaCertificateListener(listener: experimental.CaCertificateUpdateListener): void {
    this.#ofAuthorities.delete(listener);
  }

  #tellServer(listener: experimental.IdentityCertificateUpdateListener): void {
    if (this.#tls) listener({ certificate: this.#tls.certificate, privateKey: this.#tls.privateKey });
  }

  #tellAuthorities(listener: experimental.CaCertificateUpdateListener): void {
    if (this.#tls?.clientAuthorities) listener({ caCertificate: this.#tls.clientAuthorities });
  }
}
