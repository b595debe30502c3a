import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { post } from './client.ts';
import { grpcAddressOf } from './grpc-address.ts';

export type Headers = Readonly<Record<string, string>>;

/** The answer of a door, by its HTTP status or that which a gRPC status stands for. */
export interface Answered {
  readonly status: number;
  /** Of WWW-Authenticate. */
  readonly challenge: string | null;
}

/** One way into a gateway. */
export type Door = (headers: Headers) => Promise<Answered>;

const httpStatuses: Readonly<Record<number, number>> = {
  [status.UNAUTHENTICATED]: 401,
  [status.PERMISSION_DENIED]: 403,
  [status.RESOURCE_EXHAUSTED]: 429,
  [status.UNAVAILABLE]: 503,
};

/** Every binding of the gateway, asked for something harmless. The gRPC address is on the card of its default agent. */
export async function doorsOf(url: string): Promise<Readonly<Record<string, Door>>> {
  const grpc = new Client(await grpcAddressOf(url), credentials.createInsecure());
  const http = async (answer: Promise<{ status: number; headers: globalThis.Headers }>): Promise<Answered> => {
    const { status: code, headers } = await answer;
    return { status: code, challenge: headers.get('www-authenticate') };
  };
  return {
    'JSON-RPC': (headers) => http(post(url, { jsonrpc: '2.0', id: 1, method: 'ListTasks', params: {} }, headers)),
    REST: (headers) => http(fetch(`${url}/tasks`, { headers })),
    'JSON-RPC 0.3': (headers) =>
      http(post(url, { jsonrpc: '2.0', id: 1, method: 'tasks/get', params: { id: 'none' } }, headers)),
    gRPC: (headers) => askGrpc(grpc, headers),
  };
}

function askGrpc(client: Client, headers: Headers): Promise<Answered> {
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

/** What all doors answer, by their names. */
export async function knock(doors: Readonly<Record<string, Door>>, headers: Headers): Promise<Record<string, number>> {
  const entries = Object.entries(doors).map(async ([name, ask]) => [name, (await ask(headers)).status]);
  return Object.fromEntries(await Promise.all(entries));
}

/** The same answer of every door. */
export function all(code: number): Readonly<Record<string, number>> {
  return { 'JSON-RPC': code, REST: code, 'JSON-RPC 0.3': code, gRPC: code };
}
