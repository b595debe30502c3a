import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';

/** Node publishes every stream of an HTTP/2 server here. The gRPC library does not expose them. */
const channel = 'http2.server.stream.start';

/** The slowest reader to wait for, in bytes per millisecond: 64 KiB a second. */
const SLOWEST = 65.536;

/** Its methods are open to callers without a key, and gRPC has one limit of a message for all methods. */
const healthPath = '/grpc.health.';

/** Bytes of a request for the health: it has the name of a service. */
const MOST_HEALTH_BYTES = 1024;

/** The unsent bytes of a stream at a time. */
interface Unsent {
  readonly bytes: number;
  readonly since: number;
}

/**
 * Ends streams that gRPC itself would keep: those whose client reads nothing, though it answers pings, and those that
 * still send after their call was refused.
 */
export class StreamGuard {
  readonly #stallMs: number;
  readonly #unsent = new Map<ServerHttp2Stream, Unsent>();
  #port: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** @param stallMs without progress for this long a stream is ended; a large message may take longer */
  constructor(stallMs: number) {
    this.#stallMs = stallMs;
  }

  /** @param port of the server whose streams are guarded */
  start(port: number): void {
    this.#port = port;
    subscribe(channel, this.#onStream);
    this.#timer = setInterval(() => this.#look(performance.now()), Math.max(this.#stallMs / 4, 20)).unref();
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
    if (stream.session?.socket.localPort !== this.#port) return;
    this.#unsent.set(stream, { bytes: 0, since: 0 });
    stream.once('close', () => this.#unsent.delete(stream));
    stream.once('finish', () => complete(stream));
    if (headers[':path']?.startsWith(healthPath)) limitRequest(stream);
    const respond = stream.respond.bind(stream);
    // gRPC answers streams that are gone already, and Node throws then: the process would end.
    stream.respond = (headers, options) => {
      if (stream.closed || stream.destroyed) return;
      respond(headers, options);
      complete(stream);
    };
  };

  #look(now: number): void {
    for (const [stream, { bytes, since }] of this.#unsent) {
      const left = stream.writableLength;
      if (left !== bytes) this.#unsent.set(stream, { bytes: left, since: now });
      else if (left > 0 && now - since > this.#stallMs + left / SLOWEST) stream.close(constants.NGHTTP2_CANCEL);
    }
  }
}

/** RFC 9113 8.1: the answer is complete, and the client may stop sending. Node ends a HEAD before it is answered. */
function complete(stream: ServerHttp2Stream): void {
  if (stream.headersSent && stream.writableFinished && !stream.readableEnded) stream.close(constants.NGHTTP2_NO_ERROR);
}

function limitRequest(stream: ServerHttp2Stream): void {
  let bytes = 0;
  stream.on('data', ({ length }: Buffer) => {
    bytes += length;
    if (bytes > MOST_HEALTH_BYTES) stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM);
  });
}
