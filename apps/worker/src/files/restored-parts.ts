import { type FileStore, rawBytesIn, readRaw } from '@switchyard/files';
import { type Part, withContents } from '@switchyard/protocol';
import { errorForAgent } from './error-for-agent.ts';

/** Whose parts they are, and bytes that they get together. */
interface RestoredParts {
  readonly owner: string;
  readonly maxBytes: number;
}

/**
 * Parts with what they had as `raw` before that was moved.
 * @returns undefined: they had nothing
 */
export function restoredParts(
  files: FileStore | undefined,
  parts: readonly Part[],
  { owner, maxBytes }: RestoredParts,
): Promise<Part[]> | undefined {
  if (!files || rawBytesIn(parts, maxBytes) === 0) return undefined;
  return readRaw(files, parts, { owner, maxBytes }).then(
    (raws) => withContents(parts, raws, (raw) => ({ raw })),
    (error: unknown) => {
      throw errorForAgent(error);
    },
  );
}
