/** No signature of the card can be relied on; the message says why of each, and `cause` holds the last reason. */
export class CardVerificationError extends Error {
  override readonly name = 'CardVerificationError';
}
