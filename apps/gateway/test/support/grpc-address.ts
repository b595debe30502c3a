import type { AgentCard } from '@switchyard/protocol';
import { get } from './client.ts';

/** The gRPC address of the gateway, from the card of its default agent. */
export async function grpcAddressOf(url: string): Promise<string> {
  const headers = { 'a2a-version': '1.0' };
  const { body } = await get<AgentCard>(`${url}/.well-known/agent-card.json`, headers);
  const found = body.supportedInterfaces.find(({ protocolBinding }) => protocolBinding === 'GRPC');
  if (!found) throw new Error('the card has no gRPC');
  return found.url;
}
