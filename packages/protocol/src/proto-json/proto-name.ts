/** The name of a field in the protobuf definition: `messageId` is `message_id`. */
export function protoName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
