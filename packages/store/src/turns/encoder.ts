import { type Artifact, type Message, mergeHeader, openingOfText, type Part, type Task } from '@switchyard/protocol';
import { stateLetters } from '../tasks/state-letters.ts';
import type { EncodedEvent } from './encoded-event.ts';
import type { TurnEvent } from './turn-event.ts';

type Metadata = Readonly<Record<string, unknown>>;
type Header = Omit<Artifact, 'parts'>;
interface Place {
  readonly number: number;
  header: Header;
}

/** The task has as many artifacts as it may have. */
export class TooManyArtifacts extends Error {
  override readonly name = 'TooManyArtifacts';

  constructor(limit: number) {
    super(`A task holds at most ${limit} artifacts: append to one of them instead.`);
  }
}

/**
 * Turns events into the writes of `append.lua`. It lives with the turn that holds the epoch, hence the only one that
 * writes the task's artifacts: so it may know their headers and numbers, and Redis need not parse JSON to merge them.
 */
export class Encoder {
  readonly #places = new Map<string, Place>();
  readonly #messages: Set<string>;
  readonly #ids: string;
  readonly #maxArtifacts: number;
  #metadata: Metadata;

  constructor(task: Task, maxArtifacts: number) {
    this.#ids = `"taskId":${JSON.stringify(task.id)},"contextId":${JSON.stringify(task.contextId)}`;
    this.#maxArtifacts = maxArtifacts;
    this.#metadata = task.metadata ?? {};
    this.#messages = new Set(task.history?.map(({ messageId }) => messageId));
    for (const { parts: _, ...header } of task.artifacts ?? []) this.#place(header);
  }

  /** @throws {TooManyArtifacts} */
  encode(event: TurnEvent): EncodedEvent {
    const encoded = event.kind === 'status' ? this.#status(event) : this.#artifact(event);
    if (!event.step) return encoded;
    const { key, mark } = event.step;
    return { ...encoded, args: ['step', key, mark, ...encoded.args], chunk: undefined };
  }

  #status(event: TurnEvent & { kind: 'status' }): EncodedEvent {
    const { state, message, metadata } = event;
    const caller = event.isReply ? 'reply' : event.releasesCaller ? 'released' : '';
    const args = [
      'status',
      this.#merged(metadata),
      stateLetters[state],
      event.settles ? '1' : '',
      caller,
      message ? this.#withIds(message) : '',
      message && this.#isNew(message) ? '1' : '',
      metadata ? JSON.stringify(metadata) : '',
    ];
    return { args, isOutcome: event.settles };
  }

  #artifact(event: TurnEvent & { kind: 'artifact' }): EncodedEvent {
    const { parts, ...update } = event.artifact;
    const known = this.#places.get(update.artifactId);
    const place = known ?? this.#place(update);
    if (known) place.header = event.append ? mergeHeader(known.header, update) : update;
    const isChanged = !known || !event.append || Object.keys(update).length > 1;
    const texts = parts.map(partJson);
    const json = this.#update(event, update, texts);
    const [first, stored, last] = storedParts(parts, texts, event.keepsParts === true);
    const metadata = this.#merged(event.metadata);
    const header = isChanged ? open(place.header) : '';
    const mode = event.append ? 'append' : 'replace';
    const isChunk = !isChanged && !event.metadata && parts.length > 0 && first === last;
    return {
      args: ['artifact', metadata, json, place.number, mode, header, first, stored, last],
      isOutcome: false,
      chunk: isChunk ? { artifact: place.number, first, growth: stored.slice(first.length), json } : undefined,
    };
  }

  #update({ append, lastChunk, metadata }: TurnEvent & { kind: 'artifact' }, header: Header, parts: string[]): string {
    const flags = `${append ? ',"append":true' : ''}${lastChunk ? ',"lastChunk":true' : ''}`;
    const annotated = metadata ? `,"metadata":${JSON.stringify(metadata)}` : '';
    return `{"artifactUpdate":{${this.#ids},"artifact":${open(header)},"parts":[${parts}]}${flags}${annotated}}}`;
  }

  #merged(metadata: Metadata | undefined): string {
    if (!metadata) return '';
    this.#metadata = { ...this.#metadata, ...metadata };
    return JSON.stringify(this.#metadata);
  }

  #withIds({ taskId: _, contextId: __, ...message }: Message): string {
    return `${JSON.stringify(message).slice(0, -1)},${this.#ids}}`;
  }

  /** Each message enters the history once. */
  #isNew({ messageId }: Message): boolean {
    if (this.#messages.has(messageId)) return false;
    this.#messages.add(messageId);
    return true;
  }

  #place(header: Header): Place {
    if (this.#places.size >= this.#maxArtifacts) throw new TooManyArtifacts(this.#maxArtifacts);
    const place = { number: this.#places.size + 1, header };
    this.#places.set(header.artifactId, place);
    return place;
  }
}

const open = (header: Header): string => JSON.stringify(header).slice(0, -1);

/** A plain text part ends with its text, whatever the order in which it was made: the next chunk continues it there. */
function partJson(part: Part): string {
  const opening = openingOfText(part);
  return opening ? `${opening}${JSON.stringify(part.text).slice(1)}}` : JSON.stringify(part);
}

/** `first`, `parts`, `last` of append.lua: the text of a plain last part is left open. */
function storedParts(parts: readonly Part[], texts: readonly string[], keepsParts: boolean): [string, string, string] {
  const json = texts.map((text) => `,${text}`).join('');
  if (keepsParts || !parts.length) return ['', json, ''];
  const [first, last] = [parts[0], parts.at(-1)].map((part) =>
    part && openingOfText(part) ? `,${openingOfText(part)}` : '',
  );
  return [first ?? '', last ? json.slice(0, -2) : json, last ?? ''];
}
