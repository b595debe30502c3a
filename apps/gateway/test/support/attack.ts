import { connect, type Socket } from 'node:net';

/** A connection that speaks HTTP/1 by hand, and may send half of it. */
export interface RawConnection {
  readonly socket: Socket;
  /** What has come so far. */
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

/** Writes a piece now and then, until the connection is closed. */
export function drip({ socket }: RawConnection, piece: string, everyMs: number): void {
  const timer = setInterval(() => socket.writable && socket.write(piece), everyMs);
  socket.on('close', () => clearInterval(timer));
}
