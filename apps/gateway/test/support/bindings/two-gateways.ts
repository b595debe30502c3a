import { afterAll, beforeAll } from 'vitest';
import { grpcAddressOf } from '../grpc-address.ts';
import { openStage, type Stage, type StageSettings } from '../stage.ts';
import type { Binding } from './outcome.ts';
import { type GrpcBinding, overGrpc } from './over-grpc.ts';
import { overJsonRpc, overRest } from './over-http.ts';

const settings = { grpc: { port: 0, publicAddress: 'auto' } } as const;

/** Two gateways on one store, open while the tests of a file run. */
export interface TwoGateways {
  readonly stage: Stage;
  urlOf(gateway: number): string;
  readonly bindings: readonly { readonly name: string; readonly at: (gateway: number) => Binding }[];
}

/** Call it once per file, outside of tests. */
export function twoGateways(store: StageSettings['store'] = {}): TwoGateways {
  let stage: Stage | undefined;
  let urls: readonly string[] = [];
  const grpcs: GrpcBinding[] = [];

  beforeAll(async () => {
    stage = await openStage({ gateway: settings, store });
    urls = [stage.url, await stage.another(settings)];
    for (const url of urls) grpcs.push(overGrpc(await grpcAddressOf(url)));
  });
  afterAll(async () => {
    for (const grpc of grpcs) grpc[Symbol.dispose]();
    await stage?.[Symbol.asyncDispose]();
  });

  const urlOf = (n: number): string => urls[n] ?? '';
  const bindings = [
    { name: 'REST', at: (n: number): Binding => overRest(urlOf(n)) },
    { name: 'JSON-RPC', at: (n: number): Binding => overJsonRpc(urlOf(n)) },
    { name: 'gRPC', at: (n: number): Binding => grpcs[n] as GrpcBinding },
  ];
  return {
    get stage() {
      if (!stage) throw new Error('the gateways open before the tests, not before that');
      return stage;
    },
    urlOf,
    bindings,
  };
}
