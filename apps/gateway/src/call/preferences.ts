import { invalidParams } from '@switchyard/protocol';
import { type EventId, parseEventId } from '@switchyard/store';

/** How long `Prefer: wait=20` would wait (RFC 7240 4.3), in milliseconds; 0 without it. */
export function waitMsIn(prefer: string | undefined): number {
  const seconds = /(?:^|[,;])\s*wait\s*=\s*"?(\d{1,6})"?\s*(?:$|[,;])/i.exec(prefer ?? '')?.[1];
  return seconds === undefined ? 0 : Number(seconds) * 1000;
}

/** The one version that `If-None-Match` names (RFC 9110 13.1.2); undefined for none, for several and for `*`. */
export function versionIn(ifNoneMatch: string | undefined): string | undefined {
  return /^\s*(?:W\/)?"([^"]*)"\s*$/.exec(ifNoneMatch ?? '')?.[1];
}

/**
 * The event after which a stream goes on.
 * @param text value of `Last-Event-ID`, or of the query parameter `fromSeq`
 * @throws {A2AError} InvalidParams
 */
export function positionIn(text: string | undefined, field: string): EventId | undefined {
  if (text === undefined || text === '') return undefined;
  const position = parseEventId(text);
  if (position) return position;
  throw invalidParams([{ field, description: 'must be the id of an event of this stream' }]);
}

/** W3C Trace Context, version 00 and those that begin like it. */
const traceParent = /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/;

/** What is none is left out, as the recommendation has it: it is not the caller's fault. */
export function traceParentIn(value: unknown): string | undefined {
  return typeof value === 'string' && traceParent.test(value) ? value : undefined;
}
