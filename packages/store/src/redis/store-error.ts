/** The store cannot serve as it is set up; the message says what to change. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
}
