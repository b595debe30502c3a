import type { Turn } from '@switchyard/agent';
import { derivedId } from '@switchyard/agent';
import type { Artifact, Metadata } from '@switchyard/protocol';

/** The ids under which a remote agent's artifacts are published. */
export interface ArtifactIds {
  /** Whether the artifact was published, in this turn or an earlier one. */
  has(foreignId: string): boolean;
  /** Adds an artifact. @returns its id here, and the metadata with its origin */
  show(foreign: Pick<Artifact, 'artifactId' | 'name'>): { readonly id: string; readonly origin: Metadata | undefined };
}

/** The remote agent's own ids. */
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

/** Metadata key of an artifact: its id at the remote agent. */
const originKey = 'switchyard.foreignArtifactId';

/**
 * Ids that are the same when the remote agent runs again, so that new artifacts replace the earlier ones. An artifact
 * of an earlier turn keeps its id.
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

  /** Call it when the remote agent starts this turn again. */
  restart(): void {
    this.#namesakes.clear();
  }

  #next(name: string): string {
    const ordinal = (this.#namesakes.get(name) ?? 0) + 1;
    this.#namesakes.set(name, ordinal);
    return derivedId([this.#messageId, 'foreign', name, ordinal]);
  }
}
