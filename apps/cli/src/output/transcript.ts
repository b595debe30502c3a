import { visible } from '@switchyard/settings/terminal';
import type { Artifact, Message, Part, StreamResponse, Task } from '../agent/objects.ts';

/** Converts an agent's events to text for people: each message once, and artifacts as they grow. */
export class Transcript {
  readonly #read = new Set<string>();
  /** Shown characters of each artifact. */
  readonly #shown = new Map<string, number>();

  /** @returns the new text, empty when there is none */
  add(event: StreamResponse): string {
    const { task, message, statusUpdate, artifactUpdate } = event;
    if (task) return this.#task(task);
    if (message) return this.#message(message);
    if (statusUpdate) return this.#message(statusUpdate.status?.message);
    if (!artifactUpdate?.artifact) return '';
    const { artifact, append, lastChunk } = artifactUpdate;
    return this.#chunk(artifact, append ? this.#shownOf(artifact) : 0) + (lastChunk ? '\n' : '');
  }

  /** A snapshot: all messages before the stream began. */
  #task({ history = [], artifacts = [], status }: Task): string {
    const said = [...history, status?.message].map((message) => this.#message(message));
    const written = artifacts.map((artifact) => this.#whole(artifact));
    return [...written, ...said].join('');
  }

  #message(message: Message | undefined): string {
    const { messageId = '', role, parts } = message ?? {};
    if (role !== 'ROLE_AGENT' || this.#read.has(messageId)) return '';
    this.#read.add(messageId);
    return `${textIn(parts)}\n`;
  }

  #whole(artifact: Artifact): string {
    const text = textIn(artifact.parts);
    const unseen = text.slice(this.#shownOf(artifact));
    this.#shown.set(artifact.artifactId ?? '', text.length);
    return unseen && `${unseen}\n`;
  }

  #chunk(artifact: Artifact, shownBefore: number): string {
    const text = textIn(artifact.parts);
    this.#shown.set(artifact.artifactId ?? '', shownBefore + text.length);
    return text;
  }

  #shownOf({ artifactId = '' }: Artifact): number {
    return this.#shown.get(artifactId) ?? 0;
  }
}

/** Parts other than text are shown by name. */
function textIn(parts: readonly Part[] = []): string {
  return parts
    .map(({ text, filename, data }) =>
      visible(text ?? (data === undefined ? `[${filename ?? 'file'}]` : JSON.stringify(data))),
    )
    .join('');
}
