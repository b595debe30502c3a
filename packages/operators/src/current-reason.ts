import type { FailureKind, TaskState } from '@switchyard/protocol';

/** Why the last attempt of a task failed, in short. */
export interface CurrentReason {
  readonly kind: FailureKind;
  readonly message: string;
}

interface Progress {
  readonly state: TaskState;
  /** Attempts so far, over all messages. */
  readonly epoch: number;
  /** Attempts at the current message. */
  readonly attempts: number;
}

/**
 * The reason that a list shows: of a failed task, the one for which it ended; of an open task, that of an earlier
 * attempt at the message that it works on.
 * @param stored the field `reason` of the record
 */
export function currentReason(stored: string | null | undefined, progress: Progress): CurrentReason | undefined {
  const reason = readReason(stored);
  if (!reason || !isCurrent(reason.epoch, progress)) return undefined;
  return { kind: reason.kind, message: reason.message };
}

function isCurrent(ofEpoch: number, { state, epoch, attempts }: Progress): boolean {
  if (state === 'TASK_STATE_FAILED' || state === 'TASK_STATE_REJECTED') return ofEpoch === epoch;
  if (state === 'TASK_STATE_COMPLETED' || state === 'TASK_STATE_CANCELED') return false;
  return ofEpoch > epoch - attempts;
}

/** The kind and message in the field `reason` of a record: `<epoch> <kind> <message>`. */
interface Reason {
  readonly epoch: number;
  readonly kind: FailureKind;
  readonly message: string;
}

function readReason(stored: string | null | undefined): Reason | undefined {
  const [, epoch, kind, message = ''] = /^(\d+) (\S+) (.*)$/.exec(stored ?? '') ?? [];
  return epoch === undefined ? undefined : { epoch: Number(epoch), kind: kind as FailureKind, message };
}
