import type { Outgoing, Reply } from '../exchange.ts';
import type { Outcome } from '../outcome.ts';

export interface OutgoingMessage {
  readonly messageId: string;
  readonly text: string;
  readonly returnImmediately: boolean;
}

/** How the operations are put into HTTP. Pure: what goes out, and what an answer says. */
export interface Binding {
  /** As agent cards name it (A2A 4.4.6). */
  readonly name: 'JSONRPC' | 'HTTP+JSON';
  sendMessage(message: OutgoingMessage): Outgoing;
  sendStreamingMessage(message: OutgoingMessage): Outgoing;
  /** @param etag of the version that is known already, where the binding has such a thing */
  getTask(id: string, etag: string | undefined): Outgoing;
  /** The result as parsed JSON, or what the server says is wrong. */
  readReply(reply: Reply): Outcome<unknown>;
  /** The same of the data of one event. */
  readEvent(data: string): Outcome<unknown>;
}

export interface BindingSettings {
  /** Of the endpoint: the path of its URL, without a slash at its end. */
  readonly path: string;
  /** Sent with every request: names and values in turn. */
  readonly headers: readonly string[];
  /** A2A 4.4.6: given back in each request. */
  readonly tenant?: string | undefined;
}

/** A2A 4.1.4, and 3.2.2 for its configuration. */
export function sendMessageRequest({ messageId, text, returnImmediately }: OutgoingMessage): object {
  return {
    message: { messageId, role: 'ROLE_USER', parts: [{ text }] },
    configuration: { returnImmediately },
  };
}
