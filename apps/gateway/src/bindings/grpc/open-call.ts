import { type Place, placeAt } from '../../cards/place.ts';
import { withoutSlashAtEnd } from '../../http/base-url.ts';
import type { Entrance } from '../../http/entrance.ts';
import { requireSupportedVersion, type SpokenVersion } from '../../http/protocol-version.ts';
import { selectAgent } from '../../tenants/select-agent.ts';
import { GrpcCall } from './grpc-call.ts';
import { headersOf, textIn } from './metadata.ts';
import type { ServedCall } from './rpc.ts';

/** Metadata that names an agent, for clients whose requests have no tenant. */
const agentKey = 'a2a-agent';

/**
 * From the request to the call: who asks, in which version, and of which agent. There is no path to name an agent in,
 * so the tenant does, as the agent's card says; without one it is the agent at the root.
 * @throws {A2AError}
 */
export async function openCall(
  entrance: Entrance,
  call: ServedCall<unknown, unknown>,
  { tenant, version }: { readonly tenant?: string; readonly version?: SpokenVersion },
): Promise<GrpcCall> {
  const principal = await entrance.authenticator.authenticate(headersOf(call.metadata));
  const { missingVersion: missing } = entrance.settings;
  requireSupportedVersion(textIn(call.metadata, 'a2a-version'), { spoken: version, missing });
  const agentId = textIn(call.metadata, agentKey);
  const agent = selectAgent(entrance.agents, principal, { agentId, tenant });
  const place = (): Place => placeAt(httpBase(entrance), agentId, { named: tenant, selected: agent.id });
  return new GrpcCall({ principal, agent, place, version }, call, entrance.waiting);
}

/** gRPC says nothing of the URLs of the other bindings. */
function httpBase({ settings, httpUrl }: Entrance): string {
  return withoutSlashAtEnd(settings.publicUrl ?? httpUrl() ?? '');
}
