import type { SendMessageRequest } from '@switchyard/protocol';
import { traceParentIn } from '@switchyard/telemetry';
import type { Call } from '../call/call.ts';

/** The trace of a message: its request's, or the one in the metadata, for clients that cannot set headers. */
export function traceParentOf(
  call: Pick<Call, 'traceParent'>,
  { message, metadata }: SendMessageRequest,
): string | undefined {
  return call.traceParent ?? traceParentIn(message.metadata?.traceparent) ?? traceParentIn(metadata?.traceparent);
}
