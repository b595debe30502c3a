import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { readStreamEvent, type StreamEvent } from './answers.ts';
import type { Binding } from './bindings/binding.ts';
import type { Connections } from './connections.ts';
import type { Outgoing, Reply } from './exchange.ts';
import { andThen, failed, type Outcome, succeeded } from './outcome.ts';

export interface ReceivedEvent {
  /** As the server sends it; undefined when it sends none. */
  readonly id: string | undefined;
  readonly event: StreamEvent;
}

export interface StreamOptions {
  /** When the request should have been sent, by `performance.now()`. */
  readonly dueAt: number;
  readonly timeoutMs: number;
  /** What the timeout is for: the whole stream, or its first piece. */
  readonly timeoutFor: 'end' | 'beginning';
  readonly onEvent: (received: ReceivedEvent) => void;
}

export interface OpenStream {
  /** Resolves when the stream has ended, however it did. */
  readonly ended: Promise<Outcome<void>>;
  /** Ends it from this side: the outcome is the failure `left`. */
  leave(): void;
}

export function openStream(
  { connections, binding }: { readonly connections: Connections; readonly binding: Binding },
  request: Outgoing,
  options: StreamOptions,
): OpenStream {
  let problem: Outcome<void> | undefined;
  const decoder = new TextDecoder();
  const parser = createParser({
    onEvent(sent) {
      const event = readEvent(binding, sent);
      if (event.ok) options.onEvent({ id: sent.id, event: event.value });
      else problem ??= event;
    },
  });
  const onStream = (piece: Buffer): void => {
    if (options.timeoutFor === 'beginning') exchange.expiresAt = Number.POSITIVE_INFINITY;
    parser.feed(decoder.decode(piece, { stream: true }));
  };
  const exchange = connections.begin({ request, expiresAt: options.dueAt + options.timeoutMs, onStream });
  const ended = exchange.reply.then((reply) => problem ?? andThen(reply, (whole) => readEnd(binding, whole)));
  return { ended, leave: () => exchange.abort('left') };
}

/** An event called `error` is a server's last word on a stream that it cannot go on with. */
function readEvent(binding: Binding, { event, data }: EventSourceMessage): Outcome<StreamEvent> {
  if (event === 'error') return failed('stream broke off', data);
  return andThen(binding.readEvent(data), readStreamEvent);
}

function readEnd(binding: Binding, reply: Reply): Outcome<void> {
  const isStream = reply.status === 200 && reply.headers['content-type']?.startsWith('text/event-stream');
  if (isStream) return succeeded(undefined);
  return andThen(binding.readReply(reply), () => failed('no stream but a plain answer', reply.body));
}
