/** A wait of a turn. Without a time only its event ends it. */
export interface WaitRequest {
  /** The same in every run of the turn. */
  readonly key: string;
  readonly delayMs?: number | undefined;
  /** Since 1970. At most one of the two. */
  readonly untilMs?: number | undefined;
  /** Name of the event that ends it. */
  readonly event?: string | undefined;
}

/**
 * Whether a wait has ended (result: '' its time has come, else `{"data":…}`, of its event), or ends at `dueMs`, in
 * `leftMs`; Infinity: only by its event.
 */
export type WaitBeginning =
  | { readonly kind: 'done'; readonly result: string }
  | { readonly kind: 'waits'; readonly dueMs: number; readonly leftMs: number };

/** What a suspended turn waits for. */
export interface PendingWait {
  /** Name of the event that ends it, if one does. */
  readonly event?: string | undefined;
  /** JSON Schema of the event's data; unset: any, or those that only the agent can check. */
  readonly schema?: string | undefined;
  /** Task of another agent whose end or question ends it, if one does. */
  readonly call?: { readonly taskId: string; readonly skipsAuth: boolean } | undefined;
  /** When it ends at the latest, since 1970; Infinity: only by its event. */
  readonly dueMs: number;
}

/** A wait of a suspended turn, as clients read it in the metadata of its task (docs/extensions/suspended.md). */
export interface ReadableWait {
  /** Name of the event that ends it. */
  readonly event?: string;
  /** Id of the task of another agent whose end or question ends it. */
  readonly task?: string;
  /** When it ends at the latest, in ISO 8601. */
  readonly until?: string;
}

/**
 * A wait without what only workers need.
 *
 *     const { event, until } = readableWait({ event: 'payment', dueMs: Date.now() + 60_000 });
 */
export function readableWait({ event, call, dueMs }: PendingWait): ReadableWait {
  return {
    ...(event !== undefined && { event }),
    ...(call && { task: call.taskId }),
    ...(Number.isFinite(dueMs) && { until: new Date(dueMs).toISOString() }),
  };
}

/** Waits that outlive the run of a turn. */
export interface WaitPort {
  /** Begins a wait, or finds it as an earlier run left it. @throws {TurnEnded} */
  begin(wait: WaitRequest): Promise<WaitBeginning>;
  /**
   * A URL that gives the turn such events.
   * @param key the same in every run of the turn
   * @throws {TurnEnded}
   * @throws {TurnMisuseError} the worker does not know the address of the gateway
   */
  callbackUrl(key: string, event: string): Promise<string>;
}
