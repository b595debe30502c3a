import type { SendMessageRequest } from '@switchyard/protocol';
import type { ExpectedTask } from '@switchyard/store';
import type { Backend } from './backend.ts';
import type { Call } from './call.ts';

/** For whoever will follow the task that this message makes, if it makes one: one that names its task does not. */
export function expectTask(
  { feeds }: Backend,
  { scope, signal }: Call,
  { message }: SendMessageRequest,
): ExpectedTask | undefined {
  return message.taskId !== undefined || signal.aborted ? undefined : feeds.expect(scope, message);
}
