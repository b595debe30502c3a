import { A2AError, invalidParams, resumableStreamsUri } from '@switchyard/protocol';
import { type EventId, parseEventId } from '@switchyard/store';
import type { MissingVersion } from '../settings/gateway-settings.ts';

/** The A2A version of this gateway, major.minor (A2A 3.6). */
export const protocolVersion = '1.0';

/** The older version, for clients that need it. */
export const legacyVersion = '0.3';

/** The next version, as a preview: docs/a2a-1-1.md. */
export const previewVersion = '1.1';

export type SpokenVersion = typeof protocolVersion | typeof legacyVersion | typeof previewVersion;

interface ServedVersions {
  /** Version of the method or path; unset: A2A 1.0. */
  readonly spoken?: SpokenVersion | undefined;
  readonly missing: MissingVersion;
  /** Whether requests may name the next version. */
  readonly preview: boolean;
}

/**
 * The version of a request. Patch numbers are ignored (A2A 3.6). A request without a version, as from curl, has that of
 * its method or path.
 * @param named value of the header `A2A-Version`, or of the query parameter of the same name
 * @param missing version of a request without one: `by-shape`, that of the method or path; or 0.3, as in A2A 3.6.2
 * @throws {A2AError} VersionNotSupported
 */
export function requireSupportedVersion(
  named: string | undefined,
  { spoken = protocolVersion, missing, preview }: ServedVersions,
): SpokenVersion {
  const asked = named || (missing === 'by-shape' ? spoken : missing);
  const version = majorMinor(asked);
  if (version === spoken) return spoken;
  if (preview && spoken === protocolVersion && version === previewVersion) return previewVersion;
  const sent = named
    ? `A2A-Version is ${JSON.stringify(named.slice(0, 64))}`
    : `Without A2A-Version it is A2A ${asked}`;
  const hint = hints[`${version} at ${spoken}`] ?? '';
  throw new A2AError('VersionNotSupported', `${sent}, but this method or path belongs to A2A ${spoken}${hint}`, {
    violations: [{ field: 'A2A-Version', description: `must be ${spoken}` }],
    metadata: { requested: asked.slice(0, 64), supported: spoken },
  });
}

/** Where the named version is, for those who mix two of them. */
const hints: Readonly<Record<string, string>> = {
  [`${legacyVersion} at ${protocolVersion}`]:
    '. In A2A 0.3 the methods have names such as message/send, and the paths begin with /v1',
  [`${protocolVersion} at ${legacyVersion}`]:
    '. In A2A 1.0 the methods have names such as SendMessage, and no path begins with /v1',
};

/** `1.0` of `1.0.1`; undefined if it is not a version. */
export function majorMinor(version: string): string | undefined {
  return /^(\d+\.\d+)(?:\.\d+)?$/.exec(version.trim())?.[1];
}

/** The time of `Prefer: wait=20` (RFC 7240 4.3), in milliseconds; 0 without it. */
export function waitMsIn(prefer: string | undefined): number {
  const seconds = /(?:^|[,;])\s*wait\s*=\s*"?(\d{1,6})"?\s*(?:$|[,;])/i.exec(prefer ?? '')?.[1];
  return seconds === undefined ? 0 : Number(seconds) * 1000;
}

/** The version in `If-None-Match` (RFC 9110 13.1.2); undefined for none, several or `*`. */
export function versionIn(ifNoneMatch: string | undefined): string | undefined {
  return /^\s*(?:W\/)?"([^"]*)"\s*$/.exec(ifNoneMatch ?? '')?.[1];
}

/**
 * The event after which a stream resumes.
 * @param text value of `Last-Event-ID`, or of the equivalent parameter
 * @throws {A2AError} InvalidParams
 */
export function lastEventIdIn(text: unknown, field: string): EventId | undefined {
  if (text === undefined || text === '') return undefined;
  const position = typeof text === 'string' ? parseEventId(text) : undefined;
  if (position) return position;
  throw invalidParams([{ field, description: 'must be the id of an event of this stream' }]);
}

/** The id of an event in the metadata of JSON-RPC's parameters, for clients that cannot set headers; not validated. */
export function lastEventIdInMetadata(params: object): unknown {
  const { metadata }: { readonly metadata?: unknown } = params;
  return metadata === undefined ? undefined : Object(Object(metadata)[resumableStreamsUri]).lastEventId;
}

/** @param lastEventId from `lastEventIdInMetadata` @throws {A2AError} InvalidParams */
export function eventIdOfMetadata(lastEventId: unknown): EventId | undefined {
  return lastEventIdIn(lastEventId, `metadata["${resumableStreamsUri}"].lastEventId`);
}

const LONGEST_KEY = 255;

/**
 * The value of `Idempotency-Key`: a quoted string of structured fields (draft-ietf-httpapi-idempotency-key-header), or
 * the unquoted text that many clients send.
 * @throws {A2AError} InvalidParams
 */
export function idempotencyKeyIn(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const [, quoted] = /^"((?:[^"\\]|\\["\\])*)"$/.exec(text.trim()) ?? [];
  const key = quoted === undefined ? text.trim() : quoted.replaceAll(/\\(.)/g, '$1');
  if (/^[\x20-\x7e]+$/.test(key) && key.length <= LONGEST_KEY) return key;
  const description = `must have 1 to ${LONGEST_KEY} printable ASCII characters`;
  throw invalidParams([{ field: 'Idempotency-Key', description }]);
}
