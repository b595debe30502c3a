import { isMarkedAsUntransferable } from 'node:worker_threads';

/**
 * Gives the memory of bytes back of which nobody will read again. It would wait for the garbage collection, which sees
 * little of it: 64 MiB in chunks of 64 KiB were all there at once. Memory that other bytes may share stays, and a second
 * call for the same bytes does nothing.
 */
export function free({ buffer, byteLength }: Uint8Array): void {
  if (byteLength !== buffer.byteLength || !(buffer instanceof ArrayBuffer) || isMarkedAsUntransferable(buffer)) return;
  if (!buffer.detached) buffer.transfer(0);
}
