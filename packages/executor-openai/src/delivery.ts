import type { ArtifactOptions, Outcome, Turn } from '@switchyard/agent';
import { RetryableError } from '@switchyard/agent';
import { zodResponseFormat } from 'openai/helpers/zod';
import type { z } from 'zod';
import type { Format } from './model.ts';

/** A structured answer: the model gets the schema, the agent gets the value. */
export interface StructuredAnswer<Value> {
  /** Name of the schema for the model: letters, digits, `_` and `-`. */
  readonly name: string;
  readonly schema: z.ZodType<Value>;
  /**
   * The outcome for a value. Default: completes the task with the value as an artifact, as data for a client that
   * accepts `application/json`, otherwise as text.
   */
  readonly toOutcome?: (value: Value, turn: Turn) => Promise<Outcome>;
}

/** Delivers an answer to the client. */
export interface Delivery {
  /** Publishes a piece of the answer, as in `ToolLoop`. */
  readonly publish: (piece: string, isFirst: boolean) => Promise<void>;
  /** Called with the whole answer. */
  readonly end: (text: string) => Promise<Outcome>;
}

/** The kind of delivery of an executor. */
export interface DeliveryKind {
  readonly format?: Format;
  /** Throws if an answer is not valid. */
  readonly check: (text: string) => void;
  readonly begin: (turn: Turn) => Delivery;
}

/** Completes the task with the answer as its message. */
export const asMessage: DeliveryKind = {
  check: () => undefined,
  begin: (turn) => ({ publish: async () => undefined, end: (text) => turn.complete(text) }),
};

/** Streams the answer into an artifact. Text before a tool call is replaced by the text that follows. */
export function asArtifact(options: ArtifactOptions): DeliveryKind {
  const begin = (turn: Turn): Delivery => {
    const artifact = turn.artifact(inAcceptedType(turn, options));
    return {
      publish: (piece, isFirst) => (isFirst ? artifact.replace(piece) : artifact.append(piece)),
      async end() {
        await artifact.finish();
        return turn.complete();
      },
    };
  };
  return { check: () => undefined, begin };
}

/** Delivers a structured answer. @throws {Error} the schema cannot be expressed in the model's strict JSON Schema */
export function asValue<Value>(answer: StructuredAnswer<Value>): DeliveryKind {
  const { name, schema, toOutcome = (value, turn) => completeWith(turn, name, value) } = answer;
  return {
    format: zodResponseFormat(schema, name),
    check: (text) => readValue(schema, text),
    begin: (turn) => ({ publish: async () => undefined, end: (text) => toOutcome(readValue(schema, text), turn) }),
  };
}

/** Markdown and the like are declared as plain text to a client that accepts nothing else (A2A 3.2.2). */
function inAcceptedType(turn: Turn, { mediaType, ...options }: ArtifactOptions): ArtifactOptions {
  if (mediaType === undefined) return options;
  const accepted = [mediaType, 'text/plain'].find((type) => turn.accepts(type));
  return { ...options, mediaType: accepted ?? mediaType };
}

async function completeWith(turn: Turn, name: string, value: unknown): Promise<Outcome> {
  const json = 'application/json';
  const asText = { text: JSON.stringify(value, null, 2), mediaType: 'text/plain' };
  await turn.artifact({ name }).finish(turn.accepts(json) ? { data: value, mediaType: json } : asText);
  return turn.complete();
}

/** @throws {RetryableError} the text does not match the schema: the next attempt of the model may */
export function readValue<Value>(schema: z.ZodType<Value>, text: string): Value {
  try {
    return schema.parse(readJson(text));
  } catch (cause) {
    throw new RetryableError('The answer of the model does not match its schema.', { cause });
  }
}

/** Models that are not bound to a schema write thoughts or a sentence before the JSON, and fences around it. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const [, answer = text] = text.split(/<\/(?:think|thinking|thought)>/);
    const opening = answer.indexOf('```');
    if (opening < 0 && answer === text) throw error;
    const inside = opening < 0 ? answer : answer.slice(answer.indexOf('\n', opening), answer.lastIndexOf('```'));
    return JSON.parse(inside);
  }
}
