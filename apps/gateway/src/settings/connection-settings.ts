import { readFileSync } from 'node:fs';
import { createSecureContext, type TlsOptions } from 'node:tls';
import type { Settings } from '@switchyard/settings';

/** Limits of a port's connections and their requests. */
export interface ConnectionLimits {
  /** Maximum time for the TLS handshake and for a request's headers; then the connection is closed. */
  readonly headersMs: number;
  /** Maximum time for a whole request; then it is answered with 408. */
  readonly bodyMs: number;
  /** Maximum number of open connections. */
  readonly max: number;
  /** Maximum number of open connections of an address or IPv6 network; 0: no limit. */
  readonly maxPerAddress: number;
}

/** More than the maximum number of streams, to leave room for health checks. */
export const defaultConnectionLimits: ConnectionLimits = {
  headersMs: 10_000,
  bodyMs: 30_000,
  max: 25_000,
  maxPerAddress: 0,
};

/** A certificate and its key as PEM texts, and the authorities of client certificates. */
export interface TlsSettings {
  readonly certificate: Buffer;
  readonly privateKey: Buffer;
  /** Client certificates are requested, and accepted if one of these authorities signed them. Unset: not requested. */
  readonly clientAuthorities?: Buffer | undefined;
  readonly minVersion?: TlsVersion;
}

export type TlsVersion = 'TLSv1.2' | 'TLSv1.3';

/** Options of Node's TLS servers. */
export function tlsOptions({ certificate, privateKey, ...settings }: TlsSettings): TlsOptions {
  const { clientAuthorities, minVersion = 'TLSv1.2' } = settings;
  return {
    cert: certificate,
    key: privateKey,
    minVersion,
    ...(clientAuthorities && { ca: clientAuthorities, requestCert: true, rejectUnauthorized: false }),
  };
}

type Given = Settings<'gateway'>;
type FileName = `${'' | 'GRPC_'}TLS_${'CERT' | 'KEY'}_FILE` | 'TLS_CLIENT_CA_FILE';

/** TLS of HTTP; unset: plain HTTP. */
export function readHttpTls(given: Given): TlsSettings | undefined {
  const { TLS_CERT_FILE, TLS_KEY_FILE, TLS_CLIENT_CA_FILE } = given.values;
  if (TLS_CERT_FILE !== undefined || TLS_KEY_FILE !== undefined) return readTls(given, '');
  if (TLS_CLIENT_CA_FILE !== undefined) given.refuse('TLS_CLIENT_CA_FILE', 'needs TLS_CERT_FILE and TLS_KEY_FILE');
  return undefined;
}

/** TLS for gRPC: its own certificate, or that of HTTP. */
export function readGrpcTls(given: Given): TlsSettings | undefined {
  const { GRPC_TLS_CERT_FILE, GRPC_TLS_KEY_FILE } = given.values;
  const hasOwn = GRPC_TLS_CERT_FILE !== undefined || GRPC_TLS_KEY_FILE !== undefined;
  return hasOwn ? readTls(given, 'GRPC_') : readHttpTls(given);
}

function readTls(given: Given, prefix: '' | 'GRPC_'): TlsSettings {
  const { TLS_CLIENT_CA_FILE, TLS_MIN_VERSION } = given.values;
  const tls: TlsSettings = {
    certificate: readPem(given, `${prefix}TLS_CERT_FILE`),
    privateKey: readPem(given, `${prefix}TLS_KEY_FILE`),
    ...(TLS_CLIENT_CA_FILE !== undefined && { clientAuthorities: readPem(given, 'TLS_CLIENT_CA_FILE') }),
    minVersion: TLS_MIN_VERSION === '1.3' ? 'TLSv1.3' : 'TLSv1.2',
  };
  // Throws if the certificate is invalid or does not match the key.
  if (tls.certificate.length > 0 && tls.privateKey.length > 0)
    given.check(`${prefix}TLS_CERT_FILE`, () => createSecureContext(tlsOptions(tls)));
  return tls;
}

function readPem(given: Given, name: FileName): Buffer {
  const file = given.values[name];
  if (file !== undefined) return given.check(name, () => readFileSync(file)) ?? Buffer.of();
  given.refuse(name, 'is required: TLS needs a certificate and its key');
  return Buffer.of();
}
