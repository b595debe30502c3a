/** Why a call that waits was woken before what it waits for came. */
export type InterruptionKind = 'client-gone' | 'shutdown';

/** The reason of every signal in the gateway. An interruption is not an error: whoever waits stops, and answers what it has. */
export class Interruption {
  readonly kind: InterruptionKind;

  constructor(kind: InterruptionKind) {
    this.kind = kind;
  }
}
