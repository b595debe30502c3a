/** One request, as it is kept in a file. Texts may name tasks by their place in `knownTasks`. */
export type Input =
  | {
      readonly kind: 'http';
      readonly method: string;
      readonly path: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly body?: string;
    }
  /** What is written to a connection, in base64. */
  | { readonly kind: 'raw'; readonly bytes: string }
  /** @property frame what is sent of the call's body, in base64 */
  | {
      readonly kind: 'grpc';
      readonly method: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly frame: string;
    };

/** Stands for the id of a task that there is when the input is sent: done, waiting for input, with a webhook. */
export const knownTasks = [
  '00000000-0000-4000-8000-00000000000a',
  '00000000-0000-4000-8000-00000000000b',
  '00000000-0000-4000-8000-00000000000c',
] as const;

/** With the ids of those tasks. They are as long as what stands for them, so that lengths within frames stay true. */
export function withTasks(input: Input, taskIds: readonly string[]): Input {
  const put = (text: string): string =>
    knownTasks.reduce((whole, name, i) => whole.replaceAll(name, taskIds[i] ?? name), text);
  const bytes = (base64: string): string =>
    Buffer.from(put(Buffer.from(base64, 'base64').toString('latin1')), 'latin1').toString('base64');
  switch (input.kind) {
    case 'http':
      return { ...input, path: put(input.path), ...(input.body !== undefined && { body: put(input.body) }) };
    case 'raw':
      return { ...input, bytes: bytes(input.bytes) };
    case 'grpc':
      return { ...input, frame: bytes(input.frame) };
  }
}
