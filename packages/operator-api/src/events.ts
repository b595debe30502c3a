import { EventSourceParserStream } from 'eventsource-parser/stream';
import { errorFrom } from './error.ts';

/** A server-sent event with JSON data. */
export interface StreamEvent {
  readonly id?: string;
  readonly data: unknown;
}

/** The events of a response. Stop reading to close the connection. @throws {OperatorError} the gateway sent an error */
export async function* readEvents(response: Response): AsyncGenerator<StreamEvent, void> {
  if (!response.body) return;
  const text: ReadableStream<string> = response.body.pipeThrough(new TextDecoderStream());
  for await (const { id, event, data } of text.pipeThrough(new EventSourceParserStream())) {
    if (event === 'error') throw errorFrom(JSON.parse(data));
    yield { data: JSON.parse(data), ...(id !== undefined && { id }) };
  }
}
