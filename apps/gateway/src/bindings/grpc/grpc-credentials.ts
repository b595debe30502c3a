import { experimental, ServerCredentials } from '@grpc/grpc-js';
import type { TlsSettings } from '../../settings/connection-settings.ts';

/** TLS for gRPC. With an authority in settings, client certificates are requested but not required. */
export class GrpcCredentials {
  readonly #provider = new Provider();
  readonly credentials: ServerCredentials;

  /** @param tls unset: without TLS */
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

  /** Replaces the certificate for new connections. */
  reload(tls: TlsSettings | undefined): void {
    if (tls) this.#provider.set(tls);
  }
}

/** Calls the library's listener a moment later: the library adds it before it is ready for a call. */
class Provider implements experimental.CertificateProvider {
  readonly #ofServer = new Set<experimental.IdentityCertificateUpdateListener>();
  readonly #ofAuthorities = new Set<experimental.CaCertificateUpdateListener>();
  #tls: TlsSettings | undefined;

  set(tls: TlsSettings): void {
    this.#tls = tls;
    for (const listener of this.#ofAuthorities) this.#notifyAuthorities(listener);
    for (const listener of this.#ofServer) this.#notifyServer(listener);
  }

  addIdentityCertificateListener(listener: experimental.IdentityCertificateUpdateListener): void {
    this.#ofServer.add(listener);
    queueMicrotask(() => this.#notifyServer(listener));
  }

  removeIdentityCertificateListener(listener: experimental.IdentityCertificateUpdateListener): void {
    this.#ofServer.delete(listener);
  }

  addCaCertificateListener(listener: experimental.CaCertificateUpdateListener): void {
    this.#ofAuthorities.add(listener);
    queueMicrotask(() => this.#notifyAuthorities(listener));
  }

  removeCaCertificateListener(listener: experimental.CaCertificateUpdateListener): void {
    this.#ofAuthorities.delete(listener);
  }

  #notifyServer(listener: experimental.IdentityCertificateUpdateListener): void {
    if (this.#tls) listener({ certificate: this.#tls.certificate, privateKey: this.#tls.privateKey });
  }

  #notifyAuthorities(listener: experimental.CaCertificateUpdateListener): void {
    if (this.#tls?.clientAuthorities) listener({ caCertificate: this.#tls.clientAuthorities });
  }
}
