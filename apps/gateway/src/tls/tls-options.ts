import type { TlsOptions } from 'node:tls';
import type { TlsSettings } from '../settings/connection-settings.ts';

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
