import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { Settings } from '@switchyard/settings';
import type { TlsSettings } from '../settings/connection-settings.ts';
import { tlsOptions } from './tls-options.ts';

type Given = Settings<'gateway'>;
type FileName = `${'' | 'GRPC_'}TLS_${'CERT' | 'KEY'}_FILE` | 'TLS_CLIENT_CA_FILE';

/** TLS of HTTP; unset: plain HTTP. */
export function readHttpTls(given: Given): TlsSettings | undefined {
  const { TLS_CERT_FILE, TLS_KEY_FILE, TLS_CLIENT_CA_FILE } = given.values;
  if (TLS_CERT_FILE !== undefined || TLS_KEY_FILE !== undefined) return readTls(given, '');
  if (TLS_CLIENT_CA_FILE !== undefined) given.refuse('TLS_CLIENT_CA_FILE', 'needs TLS_CERT_FILE and TLS_KEY_FILE');
  return undefined;
}

/** TLS of gRPC: its own certificate, or that of HTTP. */
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
  // Fails where the certificate is none, or has another key.
  if (tls.certificate.length > 0 && tls.privateKey.length > 0)
    given.check(`${prefix}TLS_CERT_FILE`, () => createSecureContext(tlsOptions(tls)));
  return tls;
}

function readPem(given: Given, name: FileName): Buffer {
  const file = given.values[name];
  if (file !== undefined) return given.check(name, () => readFileSync(file)) ?? Buffer.of();
  given.refuse(name, 'is needed: TLS takes a certificate and its key');
  return Buffer.of();
}
