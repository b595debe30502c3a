// Texts that people read in a terminal, or paste into one.

/** Quotes a value for sh, bash and zsh. */
export function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/**
 * Control characters, line separators, and characters that change the direction of the text around them: a terminal
 * shows `evil\u202Etxt.exe` as `evilexe.txt`.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** A text of an agent or a client, with its control characters escaped. */
export function visible(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(controls, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
