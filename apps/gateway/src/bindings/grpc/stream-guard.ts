import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { constants, type Http2Session, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';

/** Node's diagnostics channel for all streams of HTTP/2 servers. The gRPC library does not expose them. */
const channel = 'http2.server.stream.start';

/** The slowest accepted reader, in bytes per millisecond: 64 KiB a second. */
const SLOWEST = 65.536;

/** Its methods need no key, and gRPC has one message limit for all methods. */
const healthPath = '/grpc.health.';

/** Maximum size of a health request: it has the name of a service. */
const MAX_HEALTH_BYTES = 1024;

/** A frame takes about 200 bytes of memory beside its own; clients send frames of up to 16 KiB. */
const SMALL_FRAME_BYTES = 256;
const MOST_SMALL_FRAMES = 1_000;

/** The opaque data of the library's GOAWAY for a connection that has reached its greatest age. */
const OLD = 'max_age';

interface GuardOptions {
  /** A stream without progress for this long is ended; a large message may take longer. */
  readonly stallMs: number;
  /** How long calls of an old connection may continue. */
  readonly ageGraceMs: number;
  /** Called after that time, if the connection is still open. @param peer `address:port` */
  readonly onOld: (peer: string) => void;
}

/** The unsent bytes of a stream, and the time since which they have not changed. */
interface Unsent {
  readonly bytes: number;
  readonly since: number;
  /** Bytes that the connection had sent at that time. */
  readonly sent: number;
  /** Maximum of the unsent bytes of all streams of the connection since then. */
  readonly ofAll: number;
}

/**
 * Ends streams that gRPC would keep: clients that read nothing but answer pings, clients that still send after their
 * call was refused, and clients that send byte by byte. Tells when the calls of an old connection must end.
 */
export class StreamGuard {
  readonly #stallMs: number;
  readonly #ageGraceMs: number;
  readonly #onOld: (peer: string) => void;
  readonly #sessions = new WeakSet<Http2Session>();
  readonly #unsent = new Map<ServerHttp2Stream, Unsent>();
  #port: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor({ stallMs, ageGraceMs, onOld }: GuardOptions) {
    this.#stallMs = stallMs;
    this.#ageGraceMs = ageGraceMs;
    this.#onOld = onOld;
  }

  /** @param port of the guarded server */
  start(port: number): void {
    this.#port = port;
    subscribe(channel, this.#onStream);
    this.#timer = setInterval(() => this.#check(performance.now()), Math.max(this.#stallMs / 4, 20)).unref();
  }

  stop(): void {
    unsubscribe(channel, this.#onStream);
    clearInterval(this.#timer);
  }

  readonly #onStream = (message: unknown): void => {
    const { stream, headers } = message as {
      readonly stream: ServerHttp2Stream;
      readonly headers: IncomingHttpHeaders;
    };
    const { session } = stream;
    if (!session || session.socket.localPort !== this.#port) return;
    this.#watchAge(session);
    this.#unsent.set(stream, { bytes: 0, since: 0, sent: 0, ofAll: 0 });
    stream.once('close', () => this.#unsent.delete(stream));
    stream.once('finish', () => complete(stream));
    limitRequest(stream, headers[':path']?.startsWith(healthPath) ? MAX_HEALTH_BYTES : Number.POSITIVE_INFINITY);
    const respond = stream.respond.bind(stream);
    // gRPC answers streams that are already closed; Node then throws, which would end the process.
    stream.respond = (headers, options) => {
      if (stream.closed || stream.destroyed) return;
      respond(headers, options);
      complete(stream);
    };
  };

  #watchAge(session: Http2Session): void {
    if (this.#sessions.has(session)) return;
    this.#sessions.add(session);
    keepWhileClosing(session);
    const { remoteAddress, remotePort } = session.socket;
    const goaway = session.goaway.bind(session);
    session.goaway = (code, lastStreamId, data) => {
      goaway(code, lastStreamId, data);
      if (!(data instanceof Buffer) || data.toString() !== OLD) return;
      const end = setTimeout(() => this.#onOld(`${remoteAddress}:${remotePort}`), this.#ageGraceMs).unref();
      session.once('close', () => clearTimeout(end));
    };
  }

  #check(now: number): void {
    const unsentOf = this.#unsentOfSessions();
    for (const [stream, before] of this.#unsent) {
      const { session, writableLength: bytes } = stream;
      if (!session || session.destroyed) continue;
      const sent = session.socket.bytesWritten;
      const ofAll = unsentOf.get(session) ?? 0;
      const isSame = bytes === before.bytes;
      const unsent = isSame ? { ...before, ofAll: Math.max(before.ofAll, ofAll) } : { bytes, since: now, sent, ofAll };
      this.#unsent.set(stream, unsent);
      if (isSame && this.#isStalled(unsent, now - before.since, sent))
        stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM);
    }
  }

  /** A client that reads its connection gets the stream's bytes interleaved with those of all other streams. */
  #isStalled({ bytes, sent, ofAll }: Unsent, ms: number, sentNow: number): boolean {
    const isRead = sentNow - sent > ms * SLOWEST;
    return bytes > 0 && ms > this.#stallMs + (isRead ? ofAll : bytes) / SLOWEST;
  }

  #unsentOfSessions(): Map<Http2Session, number> {
    const unsent = new Map<Http2Session, number>();
    for (const { session, writableLength } of this.#unsent.keys())
      if (session) unsent.set(session, (unsent.get(session) ?? 0) + writableLength);
    return unsent;
  }
}

type Ping = (callback: (error: Error | null, durationMs: number, payload: Buffer) => void) => boolean;

/**
 * Node sends no pings after GOAWAY, and calls that a failure: the library would cut the connection at its next ping,
 * although its calls may continue. Clients that are gone meanwhile are found by their unsent bytes, and by their age.
 */
function keepWhileClosing(session: Http2Session): void {
  const ping: Ping = session.ping.bind(session);
  const pingIfOpen: Ping = (callback) => {
    if (!session.closed || session.destroyed) return ping(callback);
    process.nextTick(callback, null, 0, Buffer.alloc(8));
    return true;
  };
  // The library passes only the callback.
  session.ping = pingIfOpen as Http2Session['ping'];
}

/** RFC 9113 8.1: the answer is complete, and the client may stop sending. Node ends a HEAD before it is answered. */
function complete(stream: ServerHttp2Stream): void {
  if (stream.headersSent && stream.writableFinished && !stream.readableEnded) stream.close(constants.NGHTTP2_NO_ERROR);
}

/** Ends a stream whose request is too large, or comes in many small frames, which the library keeps one by one. */
function limitRequest(stream: ServerHttp2Stream, maxBytes: number): void {
  let [bytes, frames] = [0, 0];
  stream.on('data', ({ length }: Buffer) => {
    bytes += length;
    frames++;
    const isInSmallFrames = frames > MOST_SMALL_FRAMES && bytes < frames * SMALL_FRAME_BYTES;
    if (bytes > maxBytes || isInSmallFrames) stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM);
  });
}
