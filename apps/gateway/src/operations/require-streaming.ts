import { A2AError } from '@switchyard/protocol';
import { offersStreaming } from '../cards/build-card.ts';
import type { Call } from './call.ts';

/** @throws {A2AError} UnsupportedOperation: the agent's card says that it does not stream (A2A 3.3.4) */
export function requireStreaming({ agent }: Call): void {
  if (!offersStreaming(agent.card)) throw new A2AError('UnsupportedOperation', 'This agent does not offer streaming');
}
