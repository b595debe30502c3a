import { eventNotAwaited, invalidParams, requireEventName } from '@switchyard/protocol';
import type { PendingWait, WaitBeginning, WaitPort, WaitRequest } from '../port/wait-port.ts';

/** The clock of a test, which a turn that waits can skip. */
export class SkippingClock {
  #skippedMs = 0;

  get nowMs(): number {
    return Date.now() + this.#skippedMs;
  }

  /** @param ms since 1970; an earlier time has no effect */
  skipTo(ms: number): void {
    this.#skippedMs += Math.max(0, ms - this.nowMs);
  }
}

/** What a suspended turn waits for. */
export interface Suspension {
  readonly taskId: string;
  readonly waits: readonly PendingWait[];
}

/** A wait up to this long is skipped at once, without a new run of the turn. */
const SHORT_MS = 1_000;

/** Waits whose time can be skipped. They outlive the run of the turn, but not the test. */
export class MemoryWaits implements WaitPort {
  readonly #memory: Map<string, string>;
  readonly #clock: SkippingClock;

  /** @param memory of the turn, in all its runs */
  constructor(memory: Map<string, string>, clock: SkippingClock) {
    this.#memory = memory;
    this.#clock = clock;
  }

  async begin({ key, delayMs, untilMs, event }: WaitRequest): Promise<WaitBeginning> {
    const known = this.#memory.get(`result ${key}`);
    if (known !== undefined) return { kind: 'done', result: known };
    const dueMs = Number(
      this.#memory.get(`until ${key}`) ?? untilMs ?? this.#clock.nowMs + (delayMs ?? Number.POSITIVE_INFINITY),
    );
    this.#memory.set(`until ${key}`, String(dueMs));
    if (event !== undefined) this.#memory.set(`awaited ${event}`, '');
    const data = event === undefined ? undefined : this.#take(event);
    if (data !== undefined) return this.#end(key, `{"data":${data}}`);
    if (event === undefined && dueMs - this.#clock.nowMs <= SHORT_MS) this.#clock.skipTo(dueMs);
    const leftMs = dueMs - this.#clock.nowMs;
    return leftMs <= 0 ? this.#end(key, '') : { kind: 'waits', dueMs, leftMs };
  }

  async callbackUrl(key: string, event: string): Promise<string> {
    this.#memory.set(`awaited ${event}`, '');
    return `https://gateway.example.com/callbacks/${encodeURIComponent(`${key} ${event}`)}`;
  }

  /** Keeps an event until the turn waits for it. */
  give(event: string, data: unknown): void {
    this.#write(event, [...this.#read(event), JSON.stringify(data ?? null)]);
  }

  /**
   * Call it before an event is given to a suspended turn.
   * @throws {A2AError} as the gateway answers: Conflict, the turn has not waited for this event, and waits for others;
   * InvalidParams, its name is none, or its data do not match the schema
   */
  async check(event: string, data: unknown, { taskId, waits }: Suspension): Promise<void> {
    requireEventName(event);
    const names = waits.flatMap((wait) => wait.event ?? []);
    if (!this.#memory.has(`awaited ${event}`)) throw eventNotAwaited(event, [...new Set(names)].sort(), taskId);
    const schema = waits.find((wait) => wait.event === event)?.schema;
    if (schema === undefined) return;
    // It needs zod, which an author need not have: then only the agent checks the data.
    const schemas = await import('@switchyard/protocol/schemas').catch(() => undefined);
    const violations = schemas ? new schemas.DataCheck(JSON.parse(schema)).violations(data ?? null, 'data') : [];
    if (violations.length > 0) throw invalidParams(violations);
  }

  #take(event: string): string | undefined {
    const [first, ...rest] = this.#read(event);
    this.#write(event, rest);
    return first;
  }

  #read(event: string): string[] {
    return JSON.parse(this.#memory.get(`given ${event}`) ?? '[]');
  }

  #write(event: string, given: readonly string[]): void {
    this.#memory.set(`given ${event}`, JSON.stringify(given));
  }

  #end(key: string, result: string): WaitBeginning {
    this.#memory.set(`result ${key}`, result);
    return { kind: 'done', result };
  }
}
