/** Columns as people read them on a terminal: the first one begins on the left, figures end on the right. */
export function textTable(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const isNamed = head.some((title) => title !== '');
  const lines = [...(isNamed ? [head] : []), ...rows].map((row) => row.map(String));
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const cells = (line: readonly string[]): string[] =>
    line.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)));
  return lines.map((line) => `  ${cells(line).join('   ')}`.trimEnd()).join('\n');
}
