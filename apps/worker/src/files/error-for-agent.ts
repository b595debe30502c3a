import { RetryableError, TurnMisuseError } from '@switchyard/agent';
import { RefusedError } from '@switchyard/agent/runtime';
import { FileRefused } from '@switchyard/files';

/**
 * Limits of a file are the author's to respect; others pass.
 * @param name of the file that is written
 */
export function errorForAgent(error: unknown, name?: string): unknown {
  if (!(error instanceof FileRefused)) return error;
  const options = { cause: error };
  const message = name === undefined ? error.message : `"${name.slice(0, 200)}" is not stored. ${error.message}`;
  if (error.reason === 'too-large') return new TurnMisuseError(message, options);
  if (error.reason === 'over-quota')
    return new RefusedError('file-refused', message, { ...options, code: 'over-quota' });
  if (error.reason === 'damaged') return new RefusedError('file-refused', message, options);
  return new RetryableError(message, options);
}
