import { A2AError, type AgentCard, type AgentExtension } from '@switchyard/protocol';
import type { Call } from '../call/call.ts';

type ExtensionRequest = Pick<Call, 'agent' | 'extensions'>;

/** What is asked for and offered is active (A2A 4.6); what is asked for and unknown is ignored (4.6.3). */
export function activeExtensions({ agent, extensions }: ExtensionRequest): readonly string[] {
  if (extensions.length === 0) return extensions;
  const offered = new Set(extensionsOf(agent.extendedCard ?? agent.card).map(({ uri }) => uri));
  return [...new Set(extensions)].filter((uri) => offered.has(uri));
}

/**
 * @throws {A2AError} ExtensionSupportRequired: the agent works only with clients that know its extensions (A2A 3.3.4)
 */
export function requireExtensions({ agent, extensions }: ExtensionRequest): void {
  const missing = extensionsOf(agent.card).flatMap(({ uri, required }) =>
    required && uri && !extensions.includes(uri) ? [uri] : [],
  );
  if (missing.length === 0) return;
  throw new A2AError('ExtensionSupportRequired', 'This agent works only with clients that support its extensions', {
    violations: missing.map((uri) => ({ field: 'A2A-Extensions', description: `must name ${uri}` })),
  });
}

function extensionsOf({ capabilities }: AgentCard): readonly AgentExtension[] {
  return capabilities.extensions ?? [];
}

/** Value of the service parameter `A2A-Extensions` (A2A 3.2.6) as a list. */
export function parseExtensions(text: string | undefined): readonly string[] {
  const uris = text?.split(',') ?? [];
  return uris.map((uri) => uri.trim()).filter((uri) => uri !== '');
}
