/** A named device ("the device name is core"), or a word with letters and digits such as `router007`. */
const patterns = [/\bdevice(?:\s+name)?\s+(?:is|named|called)\s+([\w.-]*\w)/i, /\b([a-z][\w-]*\d[\w-]*)\b/i];

/** The device that a message names, if it names one. */
export function deviceName(text: string): string | undefined {
  for (const pattern of patterns) {
    const [, name] = pattern.exec(text) ?? [];
    if (name) return name;
  }
  return undefined;
}
