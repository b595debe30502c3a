import { A2AError } from '@switchyard/protocol';
import type { Call } from '../call/call.ts';
import type { Backend } from './backend.ts';
import type { UnaryResult } from './operation.ts';

/** A2A 3.1.11 and 3.3.4: an agent that does not declare the extended card does not support the operation. */
export async function getExtendedAgentCard({ cards }: Backend, call: Call): Promise<UnaryResult> {
  if (!cards.offersExtended(call.agent))
    throw new A2AError('UnsupportedOperation', 'This agent does not offer an extended agent card');
  const presented = await cards.presentExtended(call.agent, call.endpoint());
  if (!presented) throw new A2AError('ExtendedAgentCardNotConfigured', 'This agent has no extended agent card');
  const { card, digest } = presented;
  return { version: digest, json: call.knownVersion === digest ? undefined : JSON.stringify(card) };
}
