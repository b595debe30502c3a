import type { AuditAction, AuditEvent, AuditTrail } from '@switchyard/access';
import type { Logger } from 'pino';
import type { AuditSettings } from '../settings/gateway-settings.ts';
import type { GatewayEvent } from './events.ts';

/** What was done, and its outcome. */
export type AuditEntry = Omit<AuditEvent, 'at' | 'count' | keyof Source | keyof Actor>;

/** Where the request came from. */
type Source = Pick<AuditEvent, 'address' | 'requestId'>;

/** The caller, as far as known. */
export type Actor = Pick<AuditEvent, 'tenant' | 'subject' | 'credential'>;

/** An event for the audit trail. */
export function audited(entry: AuditEntry, { address, requestId }: Source, actor?: Actor): GatewayEvent {
  return { kind: 'audited', event: { at: new Date().toISOString(), ...entry, ...actor, address, requestId } };
}

/** Equal failures within this time are one event. */
const MERGED_MS = 1_000;
/**
 * Maximum number of different failures in that time. Beyond it the address is left out, so that a client with many
 * addresses cannot fill the trail.
 */
const MAX_DIFFERENT = 1_000;

export interface AuditDependencies {
  readonly trail: Pick<AuditTrail, 'write'>;
  readonly log: Logger;
  /** The key of a client's addresses: one client may have several. */
  readonly networkOf: (address: string | undefined) => string | undefined;
  /** Called with the number of lost events. */
  readonly onDropped: (count: number) => void;
}

interface RepeatedFailure {
  readonly event: AuditEvent;
  /** Further failures after the first, which is written at once. */
  more: number;
}

/** Audits: writes to the log at once, and to the audit trail in batches. */
export class Audit {
  readonly #settings: AuditSettings;
  readonly #log: Logger;
  readonly #networkOf: AuditDependencies['networkOf'];
  readonly #writer: AuditWriter;
  readonly #failures = new Map<string, RepeatedFailure>();
  #timer: NodeJS.Timeout | undefined;

  constructor(settings: AuditSettings, { trail, log, networkOf, onDropped }: AuditDependencies) {
    this.#settings = settings;
    this.#log = log;
    this.#networkOf = networkOf;
    this.#writer = new AuditWriter(trail, onDropped);
  }

  record(event: AuditEvent): void {
    if (!isRecordedInAudit(event.what, this.#settings)) return;
    if (event.outcome === 'ok') this.#write(event);
    else this.#recordFailure(event);
  }

  /** Writes pending events, if Redis accepts them now. */
  async stop(): Promise<void> {
    this.#writeRepeated();
    await this.#writer.stop();
  }

  #recordFailure(event: AuditEvent): void {
    const whole = this.#failures.size < MAX_DIFFERENT || this.#failures.has(this.#keyOf(event));
    const counted = whole ? event : { ...event, address: undefined, tenant: undefined, subject: undefined };
    const known = this.#failures.get(this.#keyOf(counted));
    if (known) {
      known.more++;
      return;
    }
    this.#failures.set(this.#keyOf(counted), { event: counted, more: 0 });
    this.#timer ??= setTimeout(() => this.#writeRepeated(), MERGED_MS).unref();
    this.#write(counted);
  }

  #keyOf({ what, outcome, reason, operation, deployment, tenant, subject, credential, address }: AuditEvent): string {
    const network = this.#networkOf(address);
    return JSON.stringify([what, outcome, reason, operation, deployment, tenant, subject, credential, network]);
  }

  #writeRepeated(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const { event, more } of this.#failures.values())
      if (more > 0) this.#write({ ...event, at: new Date().toISOString(), count: more });
    this.#failures.clear();
  }

  #write(event: AuditEvent): void {
    // An accepted message has its own log line with the same fields.
    if (event.what !== 'send' || event.outcome !== 'ok') this.#log.info(event, 'audit');
    this.#writer.write(event);
  }
}

/** Whether such events are recorded. */
export function isRecordedInAudit(what: AuditAction, { events }: AuditSettings): boolean {
  return events === 'all' || (events === 'changes' && what !== 'read');
}

/** How long an event waits for others. */
const WAIT_MS = 200;
/** Batch size; a full batch is written at once. */
const BATCH = 100;
/** Time between two attempts while Redis refuses them. */
const RETRY_MS = 1_000;
const MAX_HELD = 10_000;

/**
 * Writes events to the audit trail in batches. During an outage it keeps events up to a maximum, and writes them
 * afterwards.
 */
export class AuditWriter {
  readonly #trail: Pick<AuditTrail, 'write'>;
  readonly #onDropped: (count: number) => void;
  #held: AuditEvent[] = [];
  #dropped = 0;
  #writing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** @param onDropped called with the number of lost events; at most once a second */
  constructor(trail: Pick<AuditTrail, 'write'>, onDropped: (count: number) => void) {
    this.#trail = trail;
    this.#onDropped = onDropped;
  }

  write(event: AuditEvent): void {
    if (this.#held.length >= MAX_HELD) this.#dropped++;
    else this.#held.push(event);
    if (this.#writing) return;
    if (this.#held.length === BATCH) this.#begin();
    else this.#timer ??= this.#beginIn(WAIT_MS);
  }

  /** Writes pending events, if Redis accepts them now. */
  async stop(): Promise<void> {
    while (this.#writing) await this.#writing;
    while (this.#held.length > 0 && (await this.#writeBatch()));
    clearTimeout(this.#timer);
    this.#dropped += this.#held.length;
    this.#held = [];
    this.#reportDropped();
  }

  #beginIn(ms: number): NodeJS.Timeout {
    return setTimeout(() => this.#begin(), ms).unref();
  }

  #begin(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing = this.#writeDue().then((isWritten) => {
      this.#writing = undefined;
      this.#reportDropped();
      if (this.#held.length > 0) this.#timer = this.#beginIn(isWritten ? WAIT_MS : RETRY_MS);
    });
  }

  /** @returns whether Redis accepted them */
  async #writeDue(): Promise<boolean> {
    let isWritten = await this.#writeBatch();
    while (isWritten && this.#held.length >= BATCH) isWritten = await this.#writeBatch();
    return isWritten;
  }

  /** False while Redis is unreachable or full, which `switchyard_redis_up` or refused messages show. */
  async #writeBatch(): Promise<boolean> {
    const batch = this.#held.slice(0, BATCH);
    const isWritten = await this.#trail.write(batch).then(
      () => true,
      () => false,
    );
    if (isWritten) this.#held = this.#held.slice(batch.length);
    return isWritten;
  }

  #reportDropped(): void {
    if (this.#dropped > 0) this.#onDropped(this.#dropped);
    this.#dropped = 0;
  }
}
