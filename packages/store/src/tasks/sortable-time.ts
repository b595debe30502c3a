/** An ISO timestamp in an index: eight base-36 digits of its milliseconds, which sort like the time. */
export function sortableTime(timestamp: string): string {
  return Math.max(0, Date.parse(timestamp)).toString(36).padStart(8, '0');
}
