import { EventSourceParserStream } from 'eventsource-parser/stream';
import { errorFrom } from './error.ts';

/** An event of a text/event-stream: its data is JSON. */
export interface StreamEvent {
  readonly id?: string;
  readonly data: unknown;
}

/** The events of an answer, until it ends. Stop reading to close the connection. @throws {OperatorError} where it broke */
export async function* readEvents(response: Response): AsyncGenerator<StreamEvent, void> {
  if (!response.body) return;
  const text: ReadableStream<string> = response.body.pipeThrough(new TextDecoderStream());
  for await (const { id, event, data } of text.pipeThrough(new EventSourceParserStream())) {
    if (event === 'error') throw errorFrom(JSON.parse(data));
    yield { data: JSON.parse(data), ...(id !== undefined && { id }) };
  }
}
