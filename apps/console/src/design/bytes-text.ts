/** `12 kB`, `3.4 GB`. */
export function bytesText(bytes: number): string {
  const unit = ['B', 'kB', 'MB', 'GB', 'TB'];
  const power = bytes < 1 ? 0 : Math.min(unit.length - 1, Math.floor(Math.log10(bytes) / 3));
  return `${shortNumber(bytes / 1_000 ** power)} ${unit[power]}`;
}

/** `12`, `3.4`. */
export function shortNumber(value: number): string {
  return value.toLocaleString(undefined, { maximumFractionDigits: value < 10 ? 1 : 0 });
}
