/** Columns as people read them: the first one begins on the left, figures end on the right. */
export function textTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const lineOf = (row: readonly string[]): string =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('   ')
      .trimEnd();
  const isNamed = head.some((title) => title !== '');
  return [...(isNamed ? [head] : []), ...rows].map((row) => `  ${lineOf(row)}`).join('\n');
}
