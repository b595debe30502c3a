import type { ArtifactEvent, Part } from '@switchyard/protocol';

/**
 * Keeps characters whole: a model, or another agent, may cut a text in the middle of a character, between its two
 * UTF-16 units. Neither half can be sent alone in UTF-8, so the first one waits for the second.
 */
export class HalfCharacters {
  /** The first halves that wait, by artifact. */
  readonly #waiting = new Map<string, string>();

  /** The chunk to publish; undefined: it has nothing but half a character. */
  complete(event: ArtifactEvent): ArtifactEvent | undefined {
    const { artifact, append, lastChunk } = event;
    const { artifactId } = artifact;
    const before = append ? (this.#waiting.get(artifactId) ?? '') : '';
    this.#waiting.delete(artifactId);
    const half = lastChunk ? '' : halfAtEnd(artifact.parts.at(-1));
    if (before === '' && half === '') return event;
    if (half !== '') this.#waiting.set(artifactId, half);
    const parts = withoutEnd(withBeginning(artifact.parts, before), half);
    const isEmpty = append && parts.length === 1 && parts[0]?.text === '' && Object.keys(artifact).length === 2;
    return isEmpty && !lastChunk ? undefined : { ...event, artifact: { ...artifact, parts } };
  }
}

function halfAtEnd(part: Part | undefined): string {
  const last = part?.text?.at(-1) ?? '';
  return /^[\ud800-\udbff]$/.test(last) ? last : '';
}

/** A first half whose second half did not come is U+FFFD, as in UTF-8; before anything but text it is dropped. */
function withBeginning(parts: readonly Part[], half: string): Part[] {
  const [first, ...others] = parts;
  if (!first || half === '' || first.text === undefined) return [...parts];
  const isWhole = /^[\udc00-\udfff]/.test(first.text);
  return [{ ...first, text: (isWhole ? half : '\ufffd') + first.text }, ...others];
}

function withoutEnd(parts: readonly Part[], half: string): Part[] {
  const last = parts.at(-1);
  if (half === '' || last?.text === undefined) return [...parts];
  return [...parts.slice(0, -1), { ...last, text: last.text.slice(0, -1) }];
}
