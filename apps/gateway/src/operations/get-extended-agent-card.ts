import { A2AError } from '@switchyard/protocol';
import type { Call } from './call.ts';

/** A2A 3.1.11 and 3.3.4: an agent that does not declare the extended card does not support the operation. */
export async function getExtendedAgentCard({ agent }: Call): Promise<never> {
  if (agent.card.capabilities.extendedAgentCard)
    throw new A2AError('ExtendedAgentCardNotConfigured', 'This agent has no extended agent card');
  throw new A2AError('UnsupportedOperation', 'This agent does not offer an extended agent card');
}
