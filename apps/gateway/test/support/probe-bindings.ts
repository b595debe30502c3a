import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { post } from './client.ts';
import { grpcAddressOf } from './grpc-address.ts';

export type Headers = Readonly<Record<string, string>>;

/** The answer over one binding; a gRPC status is given as the HTTP status with the same meaning. */
export interface ProbeAnswer {
  readonly status: number;
  /** The header WWW-Authenticate. */
  readonly challenge: string | null;
}

/** Sends a harmless request with these headers over one binding. */
export type Probe = (headers: Headers) => Promise<ProbeAnswer>;

const httpStatuses: Readonly<Record<number, number>> = {
  [status.UNAUTHENTICATED]: 401,
  [status.PERMISSION_DENIED]: 403,
  [status.RESOURCE_EXHAUSTED]: 429,
  [status.UNAVAILABLE]: 503,
};

/** A probe for each binding of the gateway, by its name. The gRPC address is on the card of its default agent. */
export async function probesOf(url: string): Promise<Readonly<Record<string, Probe>>> {
  const grpc = new Client(await grpcAddressOf(url), credentials.createInsecure());
  const http = async (answer: Promise<{ status: number; headers: globalThis.Headers }>): Promise<ProbeAnswer> => {
    const { status: code, headers } = await answer;
    return { status: code, challenge: headers.get('www-authenticate') };
  };
  return {
    'JSON-RPC': (headers) => http(post(url, { jsonrpc: '2.0', id: 1, method: 'ListTasks', params: {} }, headers)),
    REST: (headers) => http(fetch(`${url}/tasks`, { headers })),
    'JSON-RPC 0.3': (headers) =>
      http(post(url, { jsonrpc: '2.0', id: 1, method: 'tasks/get', params: { id: 'none' } }, headers)),
    gRPC: (headers) => probeGrpc(grpc, headers),
  };
}

function probeGrpc(client: Client, headers: Headers): Promise<ProbeAnswer> {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
  const empty = (): Buffer => Buffer.of();
  return new Promise((resolve) => {
    client.makeUnaryRequest(
      '/lf.a2a.v1.A2AService/ListTasks',
      empty,
      empty,
      undefined,
      metadata,
      (error: ServiceError | null) => {
        const challenge = error?.metadata?.get('www-authenticate').join(', ');
        resolve({ status: error ? (httpStatuses[error.code] ?? 500) : 200, challenge: challenge || null });
      },
    );
  });
}

/** @returns the status of each binding's answer, by its name */
export async function probeAll(
  probes: Readonly<Record<string, Probe>>,
  headers: Headers,
): Promise<Record<string, number>> {
  const entries = Object.entries(probes).map(async ([name, probe]) => [name, (await probe(headers)).status]);
  return Object.fromEntries(await Promise.all(entries));
}

/** The same status for every binding, to compare with. */
export function everyBinding(code: number): Readonly<Record<string, number>> {
  return { 'JSON-RPC': code, REST: code, 'JSON-RPC 0.3': code, gRPC: code };
}
