import { A2AError } from '@switchyard/protocol';

/** What is spoken here, as requests, responses and cards name it: major.minor (A2A 3.6). */
export const protocolVersion = '1.0';

/**
 * Patch numbers play no part in the choice (A2A 3.6). People who use curl name no version: they get this one.
 * @param asked value of the header `A2A-Version`, or of the query parameter of the same name
 * @throws {A2AError} VersionNotSupported
 */
export function requireSupportedVersion(asked: string | undefined): void {
  if (asked === undefined || asked === '' || asked === protocolVersion) return;
  const [, version] = /^(\d+\.\d+)(?:\.\d+)?$/.exec(asked.trim()) ?? [];
  if (version === protocolVersion) return;
  throw new A2AError('VersionNotSupported', `This agent speaks A2A ${protocolVersion}`, {
    violations: [{ field: 'A2A-Version', description: `must be ${protocolVersion}` }],
    metadata: { requested: asked.slice(0, 64), supported: protocolVersion },
  });
}
