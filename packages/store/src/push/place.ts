/** How far a webhook has been told of its task. */
export interface Place {
  /** Of the last event that was told, or that need not be. */
  readonly seq: number;
  /** Artifacts of which chunks were left out so far: what they have become is still to be told. */
  readonly owed: readonly string[];
}

/** As it is stored: `<seq>`, and what is owed as JSON behind it. */
export function placeText({ seq, owed }: Place): string {
  return owed.length ? `${seq} ${JSON.stringify(owed)}` : `${seq}`;
}

export function parsePlace(text: string): Place {
  const blank = text.indexOf(' ');
  return blank < 0
    ? { seq: Number(text), owed: [] }
    : { seq: Number(text.slice(0, blank)), owed: JSON.parse(text.slice(blank + 1)) };
}
