import { connect, type Socket } from 'node:net';

/** A bare HTTP/1 connection, which can send half a request. */
export interface RawConnection {
  readonly socket: Socket;
  /** All bytes received so far. */
  readonly received: () => string;
  readonly isClosed: () => boolean;
}

export function openRaw(url: string, text = ''): RawConnection {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) }).on('error', () => undefined);
  let received = '';
  socket.on('data', (data) => {
    received += data.toString('latin1');
  });
  if (text) socket.write(text);
  return { socket, received: () => received, isClosed: () => socket.destroyed || socket.readableEnded };
}

/** Writes a piece at intervals, until the connection is closed. */
export function drip({ socket }: RawConnection, piece: string, everyMs: number): void {
  const timer = setInterval(() => socket.writable && socket.write(piece), everyMs);
  socket.on('close', () => clearInterval(timer));
}
