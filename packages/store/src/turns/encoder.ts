import {
  type Artifact,
  type ArtifactEvent,
  type Message,
  type Metadata,
  mergeHeader,
  openingOfText,
  type Part,
  type StatusEvent,
  type Task,
  type TurnEvent,
  usageUri,
} from '@switchyard/protocol';
import type { TextSizes } from '../tasks/read/pieces.ts';
import { stateLetters } from '../tasks/visibility/state-letters.ts';
import type { EncodedEvent } from './encoded-event.ts';

type Header = Omit<Artifact, 'parts'>;
interface StoredArtifact {
  readonly number: number;
  header: Header;
  /** Bytes of its parts. */
  bytes: number;
}

/** The task has the most artifacts that it may have. */
export class TooManyArtifacts extends Error {
  override readonly name = 'TooManyArtifacts';

  constructor(limit: number) {
    super(`A task has at most ${limit} artifacts: append to one of them instead.`);
  }
}

/** With this event the task would have more bytes than it may have. */
export class TaskTooLarge extends Error {
  override readonly name = 'TaskTooLarge';

  constructor(what: string, limit: number) {
    super(`${what} may have ${limit} bytes: store larger content elsewhere, and publish its URL.`);
  }
}

/** An outcome may exceed the limits by this many bytes, so that the task can end and say why. */
const OUTCOME_BYTES = 1_048_576;
/** Limits a task's metadata: every event with metadata writes all of it. */
const METADATA_BYTES = 1_048_576;

export interface TaskLimits {
  readonly maxArtifacts: number;
  readonly maxTaskBytes: number;
  readonly maxHistoryBytes: number;
}

/**
 * Turns events into the writes of `append.lua`. Its turn is the only writer of the task's artifacts, so it knows their
 * headers and numbers, and Redis need not parse JSON to merge them.
 */
export class Encoder {
  readonly #artifacts = new Map<string, StoredArtifact>();
  readonly #messages: Set<string>;
  readonly #ids: string;
  readonly #limits: TaskLimits;
  #metadata: Metadata;
  #historyBytes: number;
  #artifactBytes = 0;

  /** @param sizes of the task's texts; undefined: they are counted, which makes their JSON again */
  constructor(task: Task, limits: TaskLimits, sizes?: TextSizes) {
    this.#ids = `"taskId":${JSON.stringify(task.id)},"contextId":${JSON.stringify(task.contextId)}`;
    this.#limits = limits;
    this.#historyBytes = sizes?.history ?? jsonBytes(task.history);
    this.#metadata = withoutUsage(task.metadata ?? {});
    this.#messages = new Set(task.history?.map(({ messageId }) => messageId));
    for (const [i, { parts, ...header }] of (task.artifacts ?? []).entries()) {
      const artifact = this.#add(header);
      artifact.bytes = sizes?.artifacts[i] ?? jsonBytes(parts);
      this.#artifactBytes += artifact.bytes;
    }
  }

  /** @throws {TooManyArtifacts} @throws {TaskTooLarge} nothing of the event is written */
  encode(given: TurnEvent): EncodedEvent {
    const event = given.metadata ? { ...given, metadata: withoutUsage(given.metadata) } : given;
    const encoded = event.kind === 'status' ? this.#status(event) : this.#artifact(event);
    if (!event.step) return encoded;
    const { key, mark } = event.step;
    return { args: ['step', key, mark, ...encoded.args], isOutcome: encoded.isOutcome };
  }

  #status(event: StatusEvent): EncodedEvent {
    const { state, message, metadata } = event;
    const caller = event.isPlainMessage ? 'reply' : event.answersCaller ? 'answered' : '';
    const json = message ? this.#withIds(message) : '';
    const merged = this.#mergedWith(metadata);
    const isNew = message !== undefined && this.#grow(message, json, event.settles);
    const args = [
      'status',
      this.#merge(merged),
      stateLetters[state],
      event.settles ? '1' : '',
      caller,
      json,
      isNew ? '1' : '',
      metadata ? JSON.stringify(metadata) : '',
    ];
    const { delivered = [], settles: isOutcome } = event;
    if (delivered.length > 0) return { args: ['delivered', idLines(delivered), ...args], isOutcome };
    const isPlain = !metadata && caller !== 'answered' && (isNew || !message);
    const status = isPlain ? { state: stateLetters[state], message: json, isReply: caller === 'reply' } : undefined;
    return { args, isOutcome, status };
  }

  #artifact(event: ArtifactEvent): EncodedEvent {
    const { parts, ...update } = event.artifact;
    const known = this.#artifacts.get(update.artifactId);
    const merged = this.#mergedWith(event.metadata);
    const texts = parts.map(partJson);
    const [first, stored, last] = storedParts(parts, texts, event.keepsChunksApart === true);
    const before = event.append ? (known?.bytes ?? 0) : 0;
    const bytes = this.#artifactBytes - (known?.bytes ?? 0) + before + Buffer.byteLength(stored);
    if (bytes + this.#historyBytes > this.#limits.maxTaskBytes)
      throw new TaskTooLarge('The history and the artifacts of a task', this.#limits.maxTaskBytes);
    const artifact = known ?? this.#add(update);
    artifact.bytes = before + Buffer.byteLength(stored);
    this.#artifactBytes = bytes;
    if (known) artifact.header = event.append ? mergeHeader(known.header, update) : update;
    const isChanged = !known || !event.append || Object.keys(update).length > 1;
    const json = this.#update(event, update, texts);
    const metadata = this.#merge(merged);
    const header = isChanged ? open(artifact.header) : '';
    const mode = event.append ? 'append' : 'replace';
    const isChunk = !isChanged && !event.metadata && parts.length > 0 && first === last;
    return {
      args: ['artifact', metadata, json, artifact.number, mode, header, first, stored, last],
      isOutcome: false,
      chunk: isChunk ? { artifact: artifact.number, first, growth: stored.slice(first.length), json } : undefined,
    };
  }

  #update({ append, lastChunk, metadata }: ArtifactEvent, header: Header, parts: string[]): string {
    const flags = `${append ? ',"append":true' : ''}${lastChunk ? ',"lastChunk":true' : ''}`;
    const annotated = metadata ? `,"metadata":${JSON.stringify(metadata)}` : '';
    return `{"artifactUpdate":{${this.#ids},"artifact":${open(header)},"parts":[${parts}]}${flags}${annotated}}}`;
  }

  /** The task's metadata after an event with this metadata. @throws {TaskTooLarge} */
  #mergedWith(metadata: Metadata | undefined): { value: Metadata; json: string } | undefined {
    if (!metadata) return undefined;
    const value = { ...this.#metadata, ...metadata };
    const json = JSON.stringify(value);
    if (json.length > METADATA_BYTES) throw new TaskTooLarge('The metadata of a task', METADATA_BYTES);
    return { value, json };
  }

  #merge(merged: { value: Metadata; json: string } | undefined): string {
    if (merged) this.#metadata = merged.value;
    return merged?.json ?? '';
  }

  #withIds({ taskId: _, contextId: __, ...message }: Message): string {
    return `${JSON.stringify(message).slice(0, -1)},${this.#ids}}`;
  }

  /** Counts the bytes of a message that the history lacks. @returns whether it lacked the message */
  #grow({ messageId }: Message, json: string, isOutcome: boolean): boolean {
    const { maxHistoryBytes } = this.#limits;
    if (this.#messages.has(messageId)) return false;
    const bytes = this.#historyBytes + Buffer.byteLength(json);
    if (bytes > maxHistoryBytes + (isOutcome ? OUTCOME_BYTES : 0))
      throw new TaskTooLarge('The messages of a task', maxHistoryBytes);
    this.#historyBytes = bytes;
    this.#messages.add(messageId);
    return true;
  }

  #add(header: Header): StoredArtifact {
    if (this.#artifacts.size >= this.#limits.maxArtifacts) throw new TooManyArtifacts(this.#limits.maxArtifacts);
    const artifact = { number: this.#artifacts.size + 1, header, bytes: 0 };
    this.#artifacts.set(header.artifactId, artifact);
    return artifact;
  }
}

/** Ids of messages, one a line, each as its inbox entry begins. */
export const idLines = (ids: readonly string[]): string => ids.map((id) => JSON.stringify(id)).join('\n');

/** What a task has used is counted by the store: no agent says it, not even a remote one. */
function withoutUsage(metadata: Metadata): Metadata {
  if (!Object.hasOwn(metadata, usageUri)) return metadata;
  const { [usageUri]: _, ...others } = metadata;
  return others;
}

const jsonBytes = (value: unknown): number => (value === undefined ? 0 : Buffer.byteLength(JSON.stringify(value)));

const open = (header: Header): string => JSON.stringify(header).slice(0, -1);

/** JSON of a part. The text of a plain text part comes last, so that the next chunk can continue it. */
function partJson(part: Part): string {
  const opening = openingOfText(part);
  return opening ? `${opening}${JSON.stringify(part.text).slice(1)}}` : JSON.stringify(part);
}

/** `first`, `parts`, `last` of append.lua: the text of a plain last part is left open. */
function storedParts(
  parts: readonly Part[],
  texts: readonly string[],
  keepsChunksApart: boolean,
): [string, string, string] {
  const json = texts.map((text) => `,${text}`).join('');
  if (keepsChunksApart || !parts.length) return ['', json, ''];
  const [first, last] = [parts[0], parts.at(-1)].map((part) =>
    part && openingOfText(part) ? `,${openingOfText(part)}` : '',
  );
  return [first ?? '', last ? json.slice(0, -2) : json, last ?? ''];
}
