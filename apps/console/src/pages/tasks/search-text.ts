/** The text with another value for a term; '' removes the term. */
export function withTerm(text: string, name: string, value: string): string {
  const others = text.split(/\s+/).filter((word) => word !== '' && !word.startsWith(`${name}:`));
  return [...others, ...(value ? [`${name}:${value}`] : [])].join(' ');
}

/** The value of a term in the text, or ''. */
export function termIn(text: string, name: string): string {
  const word = text.split(/\s+/).find((each) => each.startsWith(`${name}:`));
  return word?.slice(name.length + 1) ?? '';
}
