/** How the gRPC binding listens. */
export interface GrpcSettings {
  /** 0: any free port. */
  readonly port: number;
  /** `host:port` where clients reach it, as agent cards tell them; `auto`: the host of the card’s own URLs, and the port; unset: on no card. */
  readonly publicAddress?: string | undefined;
  /** Unset: without TLS, as behind a proxy that ends it. */
  readonly tls?: TlsSettings | undefined;
}

/** PEM texts. */
export interface TlsSettings {
  readonly certificate: Buffer;
  readonly privateKey: Buffer;
}
