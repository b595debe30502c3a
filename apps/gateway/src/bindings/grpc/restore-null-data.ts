/**
 * `{"data": null}` is a part (A2A 4.1.6: any JSON value), but the SDK's fromJSON takes null for "not set": the parts
 * that lost their content so get it back.
 * @param json what the message was made from
 * @param message changed in place
 */
export function restoreNullData(json: unknown, message: unknown): void {
  if (!isObject(json) || !isObject(message)) return;
  if (json.data === null && 'content' in message) message.content = { $case: 'data', value: null };
  for (const [name, value] of Object.entries(json)) restoreNullData(value, message[name]);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
