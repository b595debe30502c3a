import type { PeerCertificate } from 'node:tls';
import { defaultTenant } from '@switchyard/operator-api';
import { LRUCache } from 'lru-cache';
import type { CertificateSettings } from '../settings/identity-settings.ts';
import type { Authenticator, PresentedCredentials, Rejection } from './authenticator.ts';
import { Identity } from './identity.ts';

const MAX_CACHED = 10_000;

/** AUTH=mtls: the client certificate of the connection, which TLS has verified. */
export class Certificates implements Authenticator {
  readonly scheme = 'Certificate';
  readonly wants = 'a client certificate (mutual TLS)';
  readonly securitySchemes = { mtls: { mtlsSecurityScheme: {} } } as const;
  readonly #settings: CertificateSettings;
  /** By fingerprint: one identity for all connections with the certificate. */
  readonly #cache = new LRUCache<string, Identity>({ max: MAX_CACHED });

  constructor(settings: CertificateSettings) {
    this.#settings = settings;
  }

  recognises({ certificate }: PresentedCredentials): boolean {
    return certificate !== undefined;
  }

  cachedIdentity({ certificate }: PresentedCredentials): Identity | undefined {
    if (!certificate) return undefined;
    const known = this.#cache.get(certificate.fingerprint256) ?? this.#identityOf(certificate);
    if (!known || known.hasEnded) return undefined;
    this.#cache.set(certificate.fingerprint256, known);
    return known;
  }

  async identify({ certificate }: PresentedCredentials): Promise<Rejection> {
    const isNamed = certificate && this.#identityOf(certificate);
    return {
      rejected: isNamed ? 'The certificate has expired' : `The certificate does not name its owner: ${this.#names()}`,
    };
  }

  /** What a certificate must have. */
  #names(): string {
    const { subjectFrom, tenantFrom } = this.#settings;
    return tenantFrom === 'default'
      ? `it needs ${nameTexts[subjectFrom]}`
      : `it needs ${nameTexts[subjectFrom]}, and one organization (O)`;
  }

  #identityOf(certificate: PeerCertificate): Identity | undefined {
    const { scopes, subjectFrom, tenantFrom } = this.#settings;
    const subject = subjectFrom === 'cn' ? single(certificate.subject.CN) : nameIn(certificate, subjectFrom);
    const tenant = tenantFrom === 'default' ? defaultTenant : single(certificate.subject.O);
    if (!subject || !tenant) return undefined;
    return new Identity({
      principal: { tenant, subject, scopes },
      scopes,
      credential: `certificate:${certificate.fingerprint256}`,
      expiresAt: Date.parse(certificate.valid_to),
    });
  }
}

/** A name that occurs twice is not accepted. */
function single(name: string | readonly string[] | undefined): string | undefined {
  return typeof name === 'string' ? name : undefined;
}

const nameTexts = {
  'san-uri': 'a URI in its subjectAltName',
  'san-dns': 'a DNS name in its subjectAltName',
  cn: 'one common name (CN)',
} as const;

const sanTypes = { 'san-uri': 'URI', 'san-dns': 'DNS' } as const;

/** The first name of the type. Node quotes names with a comma or a quote like JSON strings. */
function nameIn({ subjectaltname = '' }: PeerCertificate, from: keyof typeof sanTypes): string | undefined {
  const names = subjectaltname.matchAll(/(?:^|, )(\w[\w ]*):("(?:[^"\\]|\\.)*"|[^,"]*)/g);
  for (const [, type, name = ''] of names)
    if (type === sanTypes[from]) return name.startsWith('"') ? JSON.parse(name) : name;
  return undefined;
}
