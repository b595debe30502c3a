import type { Part } from './objects/task.ts';

/** The part with its content in another place: its bytes as `raw` where it had a URL, or the other way round. */
export function withContent(
  { metadata, filename, mediaType }: Part,
  content: { readonly raw: string } | { readonly url: string },
): Part {
  return {
    ...content,
    ...(metadata && { metadata }),
    ...(filename !== undefined && { filename }),
    ...(mediaType !== undefined && { mediaType }),
  };
}
