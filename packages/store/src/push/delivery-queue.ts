import type { DeliveryQueueId } from '../queue/job.ts';

/** How much of its task a webhook has received. */
export interface DeliveryCursor {
  /** Of the last event that was delivered, or skipped. */
  readonly seq: number;
  /** Artifacts of which chunks were skipped: they are still to be delivered, whole. */
  readonly pending: readonly string[];
}

/** As it is stored: `<seq>`, and what is pending as JSON behind it. */
export function cursorText({ seq, pending }: DeliveryCursor): string {
  return pending.length ? `${seq} ${JSON.stringify(pending)}` : `${seq}`;
}

export function parseCursor(text: string): DeliveryCursor {
  const blank = text.indexOf(' ');
  return blank < 0
    ? { seq: Number(text), pending: [] }
    : { seq: Number(text.slice(0, blank)), pending: JSON.parse(text.slice(blank + 1)) };
}

/** A delivery queue as the run that opened it finds it. */
export interface DeliveryQueueState {
  readonly id: DeliveryQueueId;
  /** The lock of the run. */
  readonly token: string;
  readonly configId: string;
  readonly sealed: string;
  readonly cursor: DeliveryCursor;
  /** At the next delivery, so far. */
  readonly attempts: number;
  /** Milliseconds since the first of them. */
  readonly ageMs: number;
}

/** Why no more deliveries are tried. */
export interface DeliveryFailure {
  /** Scheme, host and port: the rest of the address may be secret. '' if it cannot be read. */
  readonly origin: string;
  readonly reason: string;
  readonly attempts: number;
}

/** As it is stored with the delivery queue. */
export interface DeadLetterDetails extends DeliveryFailure {
  readonly configId: string;
}
