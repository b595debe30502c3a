// The text format of the specification, section 11.2: a `Label: value` per line; what has lines of its own is a block,
// which begins with its label and ends at the first empty line.

/** An agent's text may hold control characters: they are written as escapes. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029]/g;

export function visible(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(controls, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Nothing if there is no value. */
export function field(label: string, value: string | number | undefined): string {
  if (value === undefined || value === '') return '';
  return `${label}: ${visible(String(value)).replaceAll('\n', '\\n').replaceAll('\t', ' ')}\n`;
}

/** An empty line of the content gets a space: only the block's end is empty. */
export function block(label: string, content: string): string {
  return `${label}:\n${visible(content).replace(/\n$/, '').replaceAll(/^$/gm, ' ')}\n\n`;
}

/** Columns, as wide as what is in them. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const clean = rows.map((row) => row.map((cell) => visible(cell).replaceAll(/[\n\t]/g, ' ')));
  const widths = head.map((title, at) => Math.max(title.length, ...clean.map((row) => row[at]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd();
  return [head, ...clean].map((cells) => `${line(cells)}\n`).join('');
}
