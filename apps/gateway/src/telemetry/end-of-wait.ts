/** Why a wait ended before its event. */
export type EndOfWaitKind = 'client-gone' | 'access-ended' | 'shutdown' | 'slow-reader' | 'old-connection';

/**
 * The reason of every aborted signal in the gateway. Not an error: the call stops waiting and answers with its current
 * state.
 */
export class EndOfWait {
  readonly kind: EndOfWaitKind;

  constructor(kind: EndOfWaitKind) {
    this.kind = kind;
  }
}
