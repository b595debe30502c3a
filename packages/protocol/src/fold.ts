import type { Metadata } from './objects/json.ts';
import type { StreamResponse, TaskArtifactUpdateEvent } from './objects/stream-response.ts';
import type { Artifact, Message, Part, Task } from './objects/task.ts';

export interface FoldOptions {
  /** Whether appended text extends the artifact's last part instead of adding a part. Default true. */
  readonly coalesceText?: boolean;
}

/**
 * The task after an event: the rules of A2A as one pure function. The Redis scripts must give the same task, joined
 * from strings; a property test holds the two equal.
 */
export function fold(task: Task, event: StreamResponse, { coalesceText = true }: FoldOptions = {}): Task {
  if (event.statusUpdate) {
    const { status, metadata } = event.statusUpdate;
    return annotate(remember({ ...task, status }, [status.message]), metadata);
  }
  if (event.artifactUpdate) return foldArtifact(task, event.artifactUpdate, coalesceText);
  if (event.message) return remember(task, [event.message]);
  return foldTask(task, event.task);
}

function foldArtifact(
  task: Task,
  { artifact, append, metadata }: TaskArtifactUpdateEvent,
  coalesceText: boolean,
): Task {
  const merge = append ? (before: Artifact) => appended(before, artifact, coalesceText) : () => artifact;
  return annotate(putArtifact(task, artifact, merge), metadata);
}

/** A whole task from an executor is an upsert: it adds and replaces, and removes nothing. */
function foldTask(task: Task, { status, history = [], artifacts = [], metadata }: Task): Task {
  const remembered = remember({ ...task, status }, [...history, status.message]);
  const placed = artifacts.reduce((into, artifact) => putArtifact(into, artifact, () => artifact), remembered);
  return annotate(placed, metadata);
}

/** Each message enters history once, by messageId, in the order of publication. */
function remember(task: Task, messages: readonly (Message | undefined)[]): Task {
  const history = [...(task.history ?? [])];
  for (const message of messages) {
    if (message && !history.some(({ messageId }) => messageId === message.messageId)) history.push(message);
  }
  return history.length > 0 ? { ...task, history } : task;
}

function annotate(task: Task, metadata: Metadata | undefined): Task {
  return metadata ? { ...task, metadata: { ...task.metadata, ...metadata } } : task;
}

function putArtifact(task: Task, artifact: Artifact, merge: (before: Artifact) => Artifact): Task {
  const artifacts = [...(task.artifacts ?? [])];
  const at = artifacts.findIndex(({ artifactId }) => artifactId === artifact.artifactId);
  const before = artifacts[at];
  if (before) artifacts[at] = merge(before);
  else artifacts.push(artifact);
  return { ...task, artifacts };
}

function appended(
  { parts: before, ...header }: Artifact,
  { parts, ...update }: Artifact,
  coalesceText: boolean,
): Artifact {
  const joined = coalesceText ? joinParts(before, parts) : [...before, ...parts];
  return { ...mergeHeader(header, update), parts: joined };
}

/** An artifact without its parts. */
export type ArtifactHeader = Omit<Artifact, 'parts'>;

/**
 * The header of an artifact after an append: fields of the update replace, metadata and extensions are merged. Spreads,
 * not Object.assign: a metadata key `__proto__` must stay a key.
 */
export function mergeHeader(
  header: ArtifactHeader,
  { metadata, extensions, ...update }: ArtifactHeader,
): ArtifactHeader {
  const named = Object.fromEntries(Object.entries(update).filter(([, value]) => value));
  return {
    ...header,
    ...named,
    ...(metadata && { metadata: { ...header.metadata, ...metadata } }),
    ...(extensions && { extensions: [...new Set([...(header.extensions ?? []), ...extensions])] }),
  };
}

/** The first part of an append continues the last part of the artifact when both are plain text of one media type. */
function joinParts(before: readonly Part[], parts: readonly Part[]): Part[] {
  const last = before.at(-1);
  const [first, ...rest] = parts;
  if (last?.text === undefined || first?.text === undefined) return [...before, ...parts];
  const opening = openingOfText(last);
  if (!opening || opening !== openingOfText(first)) return [...before, ...parts];
  return [...before.slice(0, -1), { ...last, text: last.text + first.text }, ...rest];
}

/** The JSON of a plain text part up to its text, `{"text":"`; empty for every other part. */
export function openingOfText({ text, mediaType, ...others }: Part): string {
  if (typeof text !== 'string' || Object.keys(others).length > 0) return '';
  return mediaType === undefined ? '{"text":"' : `{"mediaType":${JSON.stringify(mediaType)},"text":"`;
}
