import { coalesced } from '@switchyard/executor-sdk';
import type { Message, Part, Task } from '@switchyard/protocol';

/** A task as a client sees it, without ids and times, which differ from run to run. Appended texts are joined. */
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
