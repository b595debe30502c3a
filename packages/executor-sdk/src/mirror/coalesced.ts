import { openingOfText, type Part } from '@switchyard/protocol';

/** Merges adjacent plain texts with the same media type, as the store does. */
export function coalesced(parts: readonly Part[]): Part[] {
  const joined: Part[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    const opening = openingOfText(part);
    if (last?.text === undefined || part.text === undefined || !opening || openingOfText(last) !== opening)
      joined.push(part);
    else joined.splice(-1, 1, { ...last, text: last.text + part.text });
  }
  return joined;
}
