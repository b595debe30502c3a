import { check, type DataSchema } from '../data/data-schema.ts';
import type { Outcome } from '../port/outcome.ts';
import { UnavailableError } from '../port/turn-errors.ts';
import type { ArtifactOptions } from '../turn/artifact-writer.ts';
import type { Turn } from '../turn/turn.ts';

/** A structured answer: the model gets the schema, the agent gets the value. */
export interface StructuredAnswer<Value, Schema extends DataSchema<Value> = DataSchema<Value>> {
  /** Name of the schema for the model: letters, digits, `_` and `-`. */
  readonly name: string;
  readonly schema: Schema;
  /**
   * The outcome for a value: `toOutcome: (order, turn) => turn.complete(…)`. It may wait, and run steps and calls; when
   * the turn goes on, it gets the same value, without another request to the model. Default: completes the task with the
   * value as an artifact, as data for a client that accepts `application/json`, otherwise as text.
   */
  readonly toOutcome?: (value: Value, turn: Turn) => Promise<Outcome>;
}

/** How the answer is delivered. Default: as the message that completes the task. */
export type AnswerForm<Value, Schema extends DataSchema<Value> = DataSchema<Value>> =
  | {
      /** The answer is streamed into this artifact; then the task is completed. */
      readonly artifact?: ArtifactOptions;
      readonly structured?: never;
    }
  | { readonly structured: StructuredAnswer<Value, Schema>; readonly artifact?: never };

/** Delivers an answer to the client. */
export interface Delivery {
  /** Publishes a piece of the answer, as in `ToolLoop`. */
  readonly publish: (piece: string, isFirst: boolean) => Promise<void>;
  /** Called with the whole answer. */
  readonly end: (text: string) => Promise<Outcome>;
}

/** The kind of delivery of an executor. */
export interface DeliveryKind {
  /** The author's code runs after the answer, and may wait: a later run of the turn must get the same answer. */
  readonly isAnswerKept: boolean;
  /** Rejects if an answer is not valid. */
  readonly check: (text: string) => Promise<unknown>;
  readonly begin: (turn: Turn) => Delivery;
}

export function deliveryOf<Value>({ artifact, structured }: AnswerForm<Value>): DeliveryKind {
  if (artifact) return asArtifact(artifact);
  return structured ? asValue(structured) : asMessage;
}

/** Completes the task with the answer as its message. */
const asMessage: DeliveryKind = {
  isAnswerKept: false,
  check: async () => undefined,
  begin: (turn) => ({ publish: async () => undefined, end: (text) => turn.complete(text) }),
};

/** Streams the answer into an artifact. Text before a tool call is replaced by the text that follows. */
function asArtifact(options: ArtifactOptions): DeliveryKind {
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
  return { isAnswerKept: false, check: async () => undefined, begin };
}

/** Delivers a structured answer. */
function asValue<Value>(answer: StructuredAnswer<Value>): DeliveryKind {
  const { name, schema, toOutcome = (value, turn) => completeWith(turn, name, value) } = answer;
  return {
    isAnswerKept: answer.toOutcome !== undefined,
    check: (text) => readValue(schema, text),
    begin: (turn) => ({
      publish: async () => undefined,
      end: async (text) => toOutcome(await readValue(schema, text), turn),
    }),
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

/**
 * The value in an answer of a model, also in a fence, or after thoughts or a sentence.
 *
 *     const { pizza } = await readValue(order, '{"pizza":"Funghi"}');
 *
 * @throws {RetryableError} the text does not match the schema: the next attempt of the model may
 */
export async function readValue<Value>(schema: DataSchema<Value>, text: string): Promise<Value> {
  try {
    const checked = await check(schema, jsonIn(text));
    if ('value' in checked) return checked.value;
    throw new Error(checked.problem);
  } catch (cause) {
    throw new UnavailableError('model-schema', 'The answer of the model does not match its schema.', { cause });
  }
}

/** Models that are not bound to a schema write thoughts or a sentence before the JSON, and fences around it. */
function jsonIn(text: string): unknown {
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
