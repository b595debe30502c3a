import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

const CHANNEL = 'http.server.request.start';

/** Counts writes to sockets of this process' servers: corked writes count as one. */
export interface SocketWrites extends Disposable {
  readonly count: number;
}

/** @param path of the future requests whose connections are counted */
export function countSocketWrites(path: RegExp): SocketWrites {
  let count = 0;
  const listen = (message: unknown): void => {
    const { request, socket } = message as { request: IncomingMessage; socket: Socket };
    if (path.test(request.url ?? '')) watch(socket, () => count++);
  };
  subscribe(CHANNEL, listen);
  return {
    get count() {
      return count;
    },
    [Symbol.dispose]: () => void unsubscribe(CHANNEL, listen),
  };
}

/** Node calls a socket's `_write` or `_writev` for each system call. */
function watch(socket: Socket, onWrite: () => void): void {
  const { _write: write, _writev: writev } = socket;
  socket._write = (...written) => {
    onWrite();
    write.apply(socket, written);
  };
  if (!writev) return;
  socket._writev = (...written) => {
    onWrite();
    writev.apply(socket, written);
  };
}
