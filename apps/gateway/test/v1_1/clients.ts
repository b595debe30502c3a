import { markNullData } from '../support/bindings/messages.ts';
import type { Binding, Invocation, OutcomeError } from '../support/bindings/outcome.ts';
import { type Draft, type GrpcBinding, overGrpc } from '../support/bindings/over-grpc.ts';
import { overJsonRpc, overRest } from '../support/bindings/over-http.ts';
import { grpcAddressOf } from '../support/grpc-address.ts';
import { draft } from './draft-1.1.ts';

export const bindingNames = ['JSON-RPC', 'HTTP+JSON', 'GRPC'] as const;
export type BindingName = (typeof bindingNames)[number];

/** The fields that A2A 1.1 adds to a task or an event. */
export type Numbered<Value> = Value & { readonly generation?: string };

export const in1_1 = { 'a2a-version': '1.1' };

export interface Client {
  ask<Result>(invocation: Invocation): Promise<Result>;
  refused(invocation: Invocation): Promise<OutcomeError>;
}

/** A client of version 1.1, unless the headers say otherwise. */
export async function clientOf(name: BindingName, base: string): Promise<Client> {
  const binding = await bindingOf(name, base);
  const invoke: Binding['invoke'] = ({ headers, ...given }) =>
    binding.invoke({ ...given, headers: { ...in1_1, ...headers } });
  return {
    async ask<Result>(invocation: Invocation) {
      const outcome = await invoke(invocation);
      if ('error' in outcome) throw new Error(JSON.stringify(outcome.error));
      return outcome.result as Result;
    },
    async refused(invocation) {
      const outcome = await invoke(invocation);
      if ('error' in outcome) return outcome.error;
      throw new Error('it was not refused');
    },
  };
}

async function bindingOf(name: BindingName, base: string): Promise<Binding> {
  const raw = (_: string, json: unknown): unknown => markNullData(json);
  if (name === 'JSON-RPC') return overJsonRpc(base, raw);
  if (name === 'HTTP+JSON') return overRest(base, raw);
  return grpcBindingOf(base);
}

const open: GrpcBinding[] = [];

export async function grpcBindingOf(base: string, changes: Partial<Draft> = {}): Promise<GrpcBinding> {
  const binding = overGrpc(await grpcAddressOf(base), undefined, { ...draft, ...changes });
  open.push(binding);
  return binding;
}

export function closeClients(): void {
  for (const each of open.splice(0)) each[Symbol.dispose]();
}
