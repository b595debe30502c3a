import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createSecureContext, type TlsOptions } from 'node:tls';
import { readCertificates, readSettingFile, type Settings } from '@switchyard/settings';

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

type RawSettings = Settings<'gateway'>;
type FileName = `${'' | 'GRPC_'}TLS_${'CERT' | 'KEY'}_FILE` | 'TLS_CLIENT_CA_FILE';

/** TLS of HTTP; unset: plain HTTP. */
export function readHttpTls(raw: RawSettings): TlsSettings | undefined {
  const { TLS_CERT_FILE, TLS_KEY_FILE, TLS_CLIENT_CA_FILE } = raw.values;
  if (TLS_CERT_FILE !== undefined || TLS_KEY_FILE !== undefined) return readTls(raw, '');
  if (TLS_CLIENT_CA_FILE !== undefined) raw.refuse('TLS_CLIENT_CA_FILE', 'needs TLS_CERT_FILE and TLS_KEY_FILE');
  return undefined;
}

/** TLS for gRPC: its own certificate, or that of HTTP. */
export function readGrpcTls(raw: RawSettings): TlsSettings | undefined {
  const { GRPC_TLS_CERT_FILE, GRPC_TLS_KEY_FILE } = raw.values;
  const hasOwn = GRPC_TLS_CERT_FILE !== undefined || GRPC_TLS_KEY_FILE !== undefined;
  return hasOwn ? readTls(raw, 'GRPC_') : readHttpTls(raw);
}

function readTls(raw: RawSettings, prefix: '' | 'GRPC_'): TlsSettings {
  const { TLS_CLIENT_CA_FILE, TLS_MIN_VERSION } = raw.values;
  const { [`${prefix}TLS_CERT_FILE` as const]: certificate, [`${prefix}TLS_KEY_FILE` as const]: key } = raw.values;
  const tls: TlsSettings = {
    certificate: readPem(raw, `${prefix}TLS_CERT_FILE`, readCertificates),
    privateKey: readPem(raw, `${prefix}TLS_KEY_FILE`, readPrivateKey),
    ...(TLS_CLIENT_CA_FILE !== undefined && {
      clientAuthorities: readPem(raw, 'TLS_CLIENT_CA_FILE', readCertificates),
    }),
    minVersion: TLS_MIN_VERSION === '1.3' ? 'TLSv1.3' : 'TLSv1.2',
  };
  if (tls.certificate.length > 0 && tls.privateKey.length > 0)
    raw.check(`${prefix}TLS_CERT_FILE`, () => requireMatch(tls, certificate, key));
  return tls;
}

/** @throws {Error} the certificate is for another key, or TLS cannot use it */
function requireMatch(tls: TlsSettings, certificate: string | undefined, key: string | undefined): void {
  if (!new X509Certificate(tls.certificate).checkPrivateKey(createPrivateKey(tls.privateKey)))
    throw new Error(`${certificate} does not belong to the key in ${key}`);
  createSecureContext(tlsOptions(tls));
}

function readPem(raw: RawSettings, name: FileName, read: (path: string) => Buffer): Buffer {
  const file = raw.values[name];
  if (file !== undefined) return raw.check(name, () => read(file)) ?? Buffer.of();
  raw.refuse(name, 'is required: TLS needs a certificate and its key');
  return Buffer.of();
}

/** @throws {Error} the file cannot be read, or has no key that can be used; the message does not contain the key */
function readPrivateKey(path: string): Buffer {
  const file = readSettingFile(path);
  if (file.length === 0) throw new Error(`${path} is empty`);
  try {
    createPrivateKey(file);
  } catch (cause) {
    const isEncrypted = file.includes('ENCRYPTED');
    throw new Error(`${path} ${isEncrypted ? 'has an encrypted key: decrypt it' : 'contains no PEM private key'}`, {
      cause,
    });
  }
  return file;
}
