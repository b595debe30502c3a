import type { Message } from '@switchyard/protocol';

/** An author's `limits.runningPer`. If it throws, or gives no text, the message has no key, and its turn runs. */
export function keyOf(
  runningPer: (message: Message) => unknown,
  onError: (error: unknown) => void,
): (message: Message) => string | undefined {
  return (message) => {
    try {
      const key = runningPer(message);
      if (key === undefined || typeof key === 'string') return key;
      throw new TypeError(`limits.runningPer returned ${typeof key}, which is no text: the message has no key`);
    } catch (error) {
      onError(error);
      return undefined;
    }
  };
}
