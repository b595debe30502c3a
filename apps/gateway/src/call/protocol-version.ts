import { A2AError } from '@switchyard/protocol';

/** What is spoken here, as requests, responses and cards name it: major.minor (A2A 3.6). */
export const protocolVersion = '1.0';

/** What older clients speak, where it is served beside. */
export const legacyVersion = '0.3';

export type SpokenVersion = typeof protocolVersion | typeof legacyVersion;
export type MissingVersion = 'by-shape' | typeof legacyVersion;

/**
 * Patch numbers play no part in the choice (A2A 3.6). People who use curl name no version: they get the one that their
 * method or path belongs to.
 * @param asked value of the header `A2A-Version`, or of the query parameter of the same name
 * @param spoken by the method or path that is asked for
 * @param missing what stands for no version at all: `by-shape`, that of the method or path, or 0.3, as A2A 3.6.2 has it
 * @throws {A2AError} VersionNotSupported
 */
export function requireSupportedVersion(
  named: string | undefined,
  {
    spoken = protocolVersion,
    missing,
  }: { readonly spoken?: SpokenVersion | undefined; readonly missing: MissingVersion },
): void {
  const asked = named || (missing === 'by-shape' ? spoken : missing);
  if (majorMinor(asked) === spoken) return;
  throw new A2AError('VersionNotSupported', `What is asked for here is A2A ${spoken}`, {
    violations: [{ field: 'A2A-Version', description: `must be ${spoken}` }],
    metadata: { requested: asked.slice(0, 64), supported: spoken },
  });
}

/** `1.0` of `1.0.1`; undefined for what is no version. */
export function majorMinor(version: string): string | undefined {
  return /^(\d+\.\d+)(?:\.\d+)?$/.exec(version.trim())?.[1];
}
