import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get as request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { Client, credentials, type ServiceError } from '@grpc/grpc-js';
import type { AgentCard } from '@switchyard/protocol';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasProgram } from '../../../../tests/support/has-program.ts';
import { createGateway } from '../../src/index.ts';
import { openStage, type Stage } from '../support/stage.ts';

const hasOpenssl = hasProgram('openssl', 'version');

interface Identified {
  readonly certificate: Buffer;
  readonly key: Buffer;
}

let folder: string;
let stage: Stage;
let url: string;
let grpcPort: string;

const file = (name: string): string => join(folder, name);
const openssl = (...args: string[]): void => void execFileSync('openssl', args, { stdio: 'ignore', cwd: folder });
const read = (name: string): Identified => ({
  certificate: readFileSync(file(`${name}.pem`)),
  key: readFileSync(file(`${name}.key`)),
});

function makeAuthority(name: string): void {
  const usual = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  openssl('req', '-x509', ...usual, '-subj', `/CN=${name}`, '-keyout', `${name}.key`, '-out', `${name}.pem`);
}

/** Signed by an authority, which may be the certificate itself. */
function make(
  name: string,
  { by, subject, names, days = '2' }: Record<'by' | 'subject' | 'names', string> & { days?: string },
): Identified {
  writeFileSync(file(`${name}.ext`), `subjectAltName=${names}\n`);
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', `${name}.key`];
  openssl('req', ...key, '-subj', subject, '-out', `${name}.csr`);
  const authority = ['-CA', `${by}.pem`, '-CAkey', `${by}.key`, '-CAcreateserial'];
  openssl(
    'x509',
    '-req',
    '-in',
    `${name}.csr`,
    ...authority,
    '-days',
    days,
    '-extfile',
    `${name}.ext`,
    '-out',
    `${name}.pem`,
  );
  return read(name);
}

describe.runIf(hasOpenssl)('a client certificate', () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'switchyard-mtls-'));
    makeAuthority('ours');
    makeAuthority('theirs');
    const server = make('server', { by: 'ours', subject: '/CN=server', names: 'IP:127.0.0.1' });
    const { certificate: clientAuthorities } = read('ours');
    const tls = { certificate: server.certificate, privateKey: server.key, clientAuthorities };
    const certificates = { subjectFrom: 'san-uri', tenantFrom: 'o', scopes: ['read', 'send'] } as const;
    stage = await openStage();
    url = await stage.another({ auth: { certificates }, tls, grpc: { port: 0, publicAddress: 'auto', tls } });
    const card = (await ask('/.well-known/agent-card.json')).body as AgentCard;
    const grpc = card.supportedInterfaces.find(({ protocolBinding }) => protocolBinding === 'GRPC');
    grpcPort = grpc?.url.split(':').at(-1) ?? '';
  });

  afterAll(async () => {
    await stage[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  const ask = (path: string, client?: Identified): Promise<{ status: number; body: unknown }> =>
    new Promise((resolve, reject) => {
      const options = { ca: read('ours').certificate, cert: client?.certificate, key: client?.key, agent: false };
      const headers = { 'a2a-version': '1.0' };
      request(url + path, { ...options, headers }, async (response) => {
        const text = (await response.setEncoding('utf8').toArray()).join('');
        resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) });
      }).on('error', reject);
    });

  const askGrpc = (client?: Identified): Promise<number> =>
    new Promise((resolve) => {
      const trusted = read('ours').certificate;
      const secure = credentials.createSsl(trusted, client?.key ?? null, client?.certificate ?? null);
      const channel = new Client(`127.0.0.1:${grpcPort}`, secure);
      const empty = (): Buffer => Buffer.of();
      channel.makeUnaryRequest(
        '/lf.a2a.v1.A2AService/ListTasks',
        empty,
        empty,
        undefined,
        (error: ServiceError | null) => {
          channel.close();
          resolve(error?.code ?? 0);
        },
      );
    });

  const both = async (client?: Identified) => [(await ask('/tasks', client)).status, await askGrpc(client)];

  it('authenticates the principal that it names', async () => {
    const spiffe = { by: 'ours', subject: '/O=acme/CN=alice', names: 'URI:spiffe://acme/alice' };
    expect(await both(make('alice', spiffe))).toEqual([200, 0]);
  });

  it('is required, except for the card', async () => {
    expect(await both()).toEqual([401, 16]);
    const { status, body } = await ask('/.well-known/agent-card.json');
    expect([status, (body as AgentCard).securitySchemes]).toEqual([200, { mtls: { mtlsSecurityScheme: {} } }]);
  });

  it('is refused if it is self-signed or signed by another authority', async () => {
    const spiffe = { subject: '/O=acme/CN=alice', names: 'URI:spiffe://acme/alice' };
    expect(await both(make('stranger', { ...spiffe, by: 'theirs' }))).toEqual([401, 16]);
    makeAuthority('self');
    expect(await both(read('self'))).toEqual([401, 16]);
  });

  it('is refused if the configured name is missing, doubled, or inside another name', async () => {
    for (const [name, names, subject] of [
      ['nameless', 'DNS:alice.example.com', '/O=acme/CN=alice'],
      ['quoted', '@names\n[names]\nDNS.1=x, URI:spiffe://acme/alice', '/O=acme/CN=alice'],
      ['homeless', 'URI:spiffe://acme/alice', '/CN=alice'],
      ['doubled', 'URI:spiffe://acme/alice', '/O=acme/O=initech/CN=alice'],
    ] as const)
      expect([name, await both(make(name, { by: 'ours', subject, names }))]).toEqual([name, [401, 16]]);
  });

  it('that is refused is not called a missing one: the answer says why', async () => {
    const reason = async (client?: Identified) => Object(Object((await ask('/tasks', client)).body).error).message;
    const spiffe = { subject: '/O=acme/CN=alice', names: 'URI:spiffe://acme/alice' };
    const required = 'Authentication is required: a client certificate (mutual TLS)';
    expect(await reason()).toBe(required);
    expect(await reason(make('stranger', { ...spiffe, by: 'theirs' }))).toBe(
      `${required}. The certificate that was sent is refused: ` +
        'no authority that this gateway trusts has signed it (UNABLE_TO_VERIFY_LEAF_SIGNATURE)',
    );
    expect(await reason(make('late', { ...spiffe, by: 'ours', days: '-1' }))).toBe(
      `${required}. The certificate that was sent is refused: it has expired`,
    );
    expect(await reason(make('nameless', { by: 'ours', subject: '/O=acme/CN=x', names: 'DNS:x.example.com' }))).toBe(
      'The certificate does not name its owner: it needs a URI in its subjectAltName, and one organization (O)',
    );
  });

  it('is only requested over a version of TLS that is allowed, over HTTP and gRPC, also after a reload', async () => {
    const { certificate, key: privateKey } = read('server');
    const tls = { certificate, privateKey, minVersion: 'TLSv1.3' } as const;
    const settings = { auth: { keys: [] }, tls, grpc: { port: 0, publicAddress: 'auto', tls } };
    const gateway = createGateway(
      { port: 0, defaultAgent: 'echo', ...settings },
      { store: stage.store, log: pino({ level: 'silent' }) },
    );
    try {
      const { url: own, grpcPort: ownGrpc = 0 } = await gateway.start();
      const ports = [Number(new URL(own).port), ownGrpc];
      const speaks = async (maxVersion: 'TLSv1.2' | 'TLSv1.3') =>
        Promise.all(ports.map((port) => canConnect({ port, maxVersion })));
      expect([await speaks('TLSv1.2'), await speaks('TLSv1.3')]).toEqual([
        [false, false],
        [true, true],
      ]);
      gateway.reload({ ...settings, admin: undefined });
      expect([await speaks('TLSv1.2'), await speaks('TLSv1.3')]).toEqual([
        [false, false],
        [true, true],
      ]);
    } finally {
      await gateway.stop();
    }
  });
});

function canConnect({ port, maxVersion }: { port: number; maxVersion: 'TLSv1.2' | 'TLSv1.3' }): Promise<boolean> {
  return new Promise((resolve) => {
    const options = {
      port,
      host: '127.0.0.1',
      maxVersion,
      rejectUnauthorized: false,
      ALPNProtocols: ['h2', 'http/1.1'],
    };
    const socket = connect(options, () => {
      socket.destroy();
      resolve(true);
    }).on('error', () => resolve(false));
  });
}
