import type { Turn } from '@switchyard/agent';
import { derivedId } from '@switchyard/agent';
import type { Artifact, Metadata } from '@switchyard/protocol';

/** Under which ids the artifacts of another agent are shown. */
export interface ArtifactIds {
  /** Whether the artifact has been shown, in this turn or an earlier one. */
  has(foreignId: string): boolean;
  /** From now on the artifact is shown. @returns its id here, and what its metadata says of its origin */
  show(foreign: Pick<Artifact, 'artifactId' | 'name'>): { readonly id: string; readonly origin: Metadata | undefined };
}

/** The other agent's own ids. */
export class ForeignIds implements ArtifactIds {
  readonly #shown: Set<string>;

  constructor({ task }: Turn) {
    this.#shown = new Set(task.artifacts?.map(({ artifactId }) => artifactId));
  }

  has(foreignId: string): boolean {
    return this.#shown.has(foreignId);
  }

  show({ artifactId: id }: Pick<Artifact, 'artifactId'>) {
    this.#shown.add(id);
    return { id, origin: undefined };
  }
}

/** In the metadata of an artifact: the id that it has where it comes from. */
const originKey = 'switchyard.foreignArtifactId';

/**
 * Ids that are the same again when the other agent does its work again, so that what it makes then replaces what it had
 * made before. An artifact that was shown in an earlier turn keeps its id.
 */
export class StableIds implements ArtifactIds {
  readonly #messageId: string;
  readonly #shown = new Map<string, string>();
  readonly #namesakes = new Map<string, number>();

  constructor({ task, message }: Turn) {
    this.#messageId = message.messageId;
    for (const { artifactId, metadata } of task.artifacts ?? []) {
      const foreignId = metadata?.[originKey];
      if (typeof foreignId === 'string') this.#shown.set(foreignId, artifactId);
    }
  }

  has(foreignId: string): boolean {
    return this.#shown.has(foreignId);
  }

  show({ artifactId, name = '' }: Pick<Artifact, 'artifactId' | 'name'>) {
    const id = this.#shown.get(artifactId) ?? this.#next(name);
    this.#shown.set(artifactId, id);
    return { id, origin: { [originKey]: artifactId } };
  }

  /** The other agent begins its work of this turn anew. */
  restart(): void {
    this.#namesakes.clear();
  }

  #next(name: string): string {
    const ordinal = (this.#namesakes.get(name) ?? 0) + 1;
    this.#namesakes.set(name, ordinal);
    return derivedId([this.#messageId, 'foreign', name, ordinal]);
  }
}
