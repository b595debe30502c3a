/** Sent in silence; clients ignore it. */
export const heartbeatFrame = ': heartbeat\n\n';

/**
 * One server-sent event. A line break would end its `data`; JSON has them only between its tokens, so that
 * taking them out changes no value.
 */
export function eventFrame(seq: number, json: string): string {
  return `id: ${seq}\ndata: ${json.includes('\n') ? json.replaceAll('\n', '') : json}\n\n`;
}

/** The last event of a stream that broke. It has no id: the client resumes after the last event that it has seen. */
export function errorFrame(json: string): string {
  return `event: error\ndata: ${json}\n\n`;
}
