import { openingOfText, type Part } from '@switchyard/protocol';

/** Parts as the store keeps them: neighbouring plain texts of one media type are one. */
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
