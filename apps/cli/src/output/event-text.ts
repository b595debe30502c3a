import type { Artifact, Part, StreamResponse, Task } from '../agent/objects.ts';
import { suspendedText } from '../agent/suspended.ts';
import { GrowingBlock } from './growing-block.ts';
import { field } from './labelled-text.ts';
import { artifactLabel, artifactText, type Detail, idsText, messageText, partText, responseText } from './task-text.ts';

/**
 * The events of a stream as text. Each status has the task's ids and state; the text of an artifact grows in one block,
 * whatever the size of its pieces.
 */
export class EventText {
  readonly #detail: Detail;
  #block: GrowingBlock | undefined;
  /** The artifact whose block is open. */
  #artifactId: string | undefined;
  #hasIds = false;

  constructor(detail: Detail) {
    this.#detail = detail;
  }

  /** @param task its state after the event */
  of(event: StreamResponse, task: Task): string {
    const { statusUpdate, artifactUpdate } = event;
    const { isVerbose } = this.#detail;
    if (artifactUpdate?.artifact && !isVerbose) return this.#ids(task) + this.#grown(artifactUpdate.artifact);
    const kind = isVerbose ? field('Event', Object.keys(event)[0]) : '';
    if (!artifactUpdate && !statusUpdate) {
      this.#hasIds ||= event.task !== undefined;
      return this.end() + kind + responseText(event, { isVerbose });
    }
    this.#hasIds = true;
    if (statusUpdate) {
      const { message } = statusUpdate.status ?? {};
      const waits = field('Waits', suspendedText(statusUpdate.metadata));
      return this.end() + kind + idsText(task) + waits + (message ? messageText(message) : '');
    }
    const { artifact, append = false, lastChunk = false } = artifactUpdate ?? {};
    const chunk = field('Append', String(append)) + field('Last-Chunk', String(lastChunk));
    return kind + idsText(task) + chunk + (artifact ? artifactText(artifact) : '');
  }

  /** Ends an open block. */
  end(): string {
    const end = this.#block?.end() ?? '';
    this.#block = undefined;
    this.#artifactId = undefined;
    return end;
  }

  #ids(task: Task): string {
    if (this.#hasIds) return '';
    this.#hasIds = true;
    return idsText(task);
  }

  #grown(artifact: Artifact): string {
    const { artifactId = '', parts = [] } = artifact;
    const isSame = this.#artifactId === artifactId;
    const label = isSame ? '' : this.end() + artifactLabel(artifact);
    this.#artifactId = artifactId;
    return label + parts.map((part) => this.#part(part, artifactId)).join('');
  }

  #part(part: Part, artifactId: string): string {
    if (part.text === undefined) {
      const text = this.end() + partText(part);
      this.#artifactId = artifactId;
      return text;
    }
    const begin = this.#block ? '' : 'Text:\n';
    this.#block ??= new GrowingBlock();
    return begin + this.#block.add(part.text);
  }
}
