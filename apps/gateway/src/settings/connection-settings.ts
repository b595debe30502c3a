/** Limits of connections to a port, and of the requests on them. */
export interface ConnectionLimits {
  /** A connection whose TLS handshake, or the headers of whose request, take longer is closed. */
  readonly headersMs: number;
  /** A request that has not arrived as a whole in this time is answered with 408. */
  readonly bodyMs: number;
  /** Open at once. */
  readonly max: number;
  /** Open at once from one address, or one network of IPv6; 0: no limit. */
  readonly maxPerAddress: number;
}

/** More than the streams that may be open: health checks need room besides them. */
export const defaultConnectionLimits: ConnectionLimits = {
  headersMs: 10_000,
  bodyMs: 30_000,
  max: 25_000,
  maxPerAddress: 0,
};

/** A certificate and its key, as PEM texts, and who else may have one. */
export interface TlsSettings {
  readonly certificate: Buffer;
  readonly privateKey: Buffer;
  /** Certificates of clients are asked for, and count if one of these has signed them. Unset: they are not asked for. */
  readonly clientAuthorities?: Buffer | undefined;
  readonly minVersion?: TlsVersion;
}

export type TlsVersion = 'TLSv1.2' | 'TLSv1.3';
