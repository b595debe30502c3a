import type { Part } from './objects/task.ts';

/** A longer extension is part of the name. */
const longestExtension = 20;

/** Cuts the name of a file to a number of bytes in UTF-8: in whole characters, and before its extension. */
export function shortFileName(name: string, maxBytes: number): string {
  const { stem, extension } = split(name);
  if (extension.length > longestExtension) return cut(name, maxBytes);
  return cut(stem, maxBytes - new TextEncoder().encode(extension).length) + extension;
}

/** The name, or `notes-2.md` for the second file `notes.md`. Adds it to the used ones. */
export function unusedFileName(name: string, used: Set<string>): string {
  const { stem, extension } = split(name);
  let unused = name;
  for (let number = 2; used.has(unused); number++) unused = `${stem}-${number}${extension}`;
  used.add(unused);
  return unused;
}

/** A name that begins with its only dot has no extension. */
function split(name: string): { readonly stem: string; readonly extension: string } {
  const dot = name.lastIndexOf('.');
  return dot > 0 ? { stem: name.slice(0, dot), extension: name.slice(dot) } : { stem: name, extension: '' };
}

function cut(text: string, maxBytes: number): string {
  // A decoder of a stream keeps back the bytes of a character that is cut.
  return new TextDecoder().decode(new TextEncoder().encode(text).subarray(0, maxBytes), { stream: true });
}

/** What a file has in a part: its bytes, or where they are. */
type FilePlace = { readonly raw: string } | { readonly url: string };

/** The part with its content in another place: its bytes as `raw` where it had a URL, or the other way round. */
export function withContent({ metadata, filename, mediaType }: Part, content: FilePlace): Part {
  return {
    ...content,
    ...(metadata && { metadata }),
    ...(filename !== undefined && { filename }),
    ...(mediaType !== undefined && { mediaType }),
  };
}

/** Parts of which those at the positions that `found` has get their content from there. */
export function withContents(
  parts: readonly Part[],
  found: ReadonlyMap<number, string>,
  contentOf: (found: string) => FilePlace,
): Part[] {
  return parts.map((part, i) => {
    const one = found.get(i);
    return one === undefined ? part : withContent(part, contentOf(one));
  });
}
