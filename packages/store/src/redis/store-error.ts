/** The store cannot work with its settings; the message says what to change. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
}
