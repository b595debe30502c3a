import type { Artifact, Message, StreamResponse, Task } from '@switchyard/protocol';

/** Turns what an agent sends into what a person reads: each message once, and artifacts as they grow. */
export class Transcript {
  readonly #read = new Set<string>();
  /** How much of each artifact was shown, in characters. */
  readonly #shown = new Map<string, number>();

  /** @returns the new text, empty when there is none */
  add(event: StreamResponse): string {
    if (event.task) return this.#task(event.task);
    if (event.message) return this.#message(event.message);
    if (event.statusUpdate) return this.#message(event.statusUpdate.status.message);
    const { artifact, append, lastChunk } = event.artifactUpdate;
    return this.#chunk(artifact, append ? (this.#shown.get(artifact.artifactId) ?? 0) : 0) + (lastChunk ? '\n' : '');
  }

  /** A snapshot: all messages before the stream began. */
  #task({ history = [], artifacts = [], status }: Task): string {
    const said = [...history, status.message].map((message) => this.#message(message));
    const written = artifacts.map((artifact) => this.#whole(artifact));
    return [...written, ...said].join('');
  }

  #message(message: Message | undefined): string {
    if (message?.role !== 'ROLE_AGENT' || this.#read.has(message.messageId)) return '';
    this.#read.add(message.messageId);
    return `${textIn(message)}\n`;
  }

  #whole(artifact: Artifact): string {
    const text = textIn(artifact);
    const unseen = text.slice(this.#shown.get(artifact.artifactId) ?? 0);
    this.#shown.set(artifact.artifactId, text.length);
    return unseen && `${unseen}\n`;
  }

  #chunk(artifact: Artifact, shownBefore: number): string {
    const text = textIn(artifact);
    this.#shown.set(artifact.artifactId, shownBefore + text.length);
    return text;
  }
}

function textIn({ parts }: Pick<Message, 'parts'>): string {
  return parts.map(({ text }) => text ?? '').join('');
}
