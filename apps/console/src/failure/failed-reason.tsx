import type { Reason } from '@switchyard/operator-api';
import { kindText } from './failure-kinds.ts';

/** Why the last attempt failed, in a line. */
export function FailedReason({ reason: { kind, message } }: { readonly reason: Reason }) {
  return (
    <p>
      <b class="failure-kind">{kindText(kind)}</b> {message}
    </p>
  );
}
