/** Whether an event that a turn waits for may have this name: letters, digits, hyphens, underscores and dots, at most 64. */
export function isEventName(name: string): boolean {
  return /^[a-zA-Z0-9][\w.-]{0,63}$/.test(name);
}
