import { coalesced } from '@switchyard/executor-sdk';
import type { Message, Part, Task } from '@switchyard/protocol';

/**
 * What a client sees of a task, without what differs from run to run: ids and times. Texts that were appended count as
 * one.
 */
export function observable({ status, artifacts = [], history = [] }: Task): object {
  return {
    state: status.state,
    said: status.message && seen(status.message),
    artifacts: artifacts.map(({ parts, name, description, artifactId, metadata }) => ({
      artifactId,
      name,
      description,
      metadata,
      parts: coalesced(parts.map(content)),
    })),
    history: history.map(seen),
  };
}

export function seen({ role, parts, metadata }: Message): object {
  return { role, parts: parts.map(content), metadata };
}

function content({ filename: _, ...part }: Part): Part {
  return part;
}
