import type { FileFacts } from '@switchyard/files';
import { type FieldViolation, invalidParams } from '@switchyard/protocol';

/** Longest name, in UTF-16 units: that of file systems. */
const LONGEST_NAME = 255;
const mediaTypeForm = /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}(?: *; *[\w.-]{1,64}=[\w.+-]{1,64}){0,4}$/;
/** What `curl --data-binary` says of any file. */
const ofForms = 'application/x-www-form-urlencoded';

/** What a client says of its file. @throws {A2AError} InvalidParams */
export function factsOf(given: {
  readonly filename?: string | null | undefined;
  readonly mediaType?: string | null | undefined;
}): FileFacts {
  const filename = given.filename ?? undefined;
  const mediaType = given.mediaType && given.mediaType !== ofForms ? given.mediaType : 'application/octet-stream';
  const violations: FieldViolation[] = [];
  if (filename !== undefined && !isFileName(filename))
    violations.push({
      field: 'filename',
      description: `must be the name of a file, with 1 to ${LONGEST_NAME} characters`,
    });
  if (mediaType.startsWith('multipart/'))
    violations.push({
      field: 'Content-Type',
      description: 'must be that of the file: the body is the file, not a form',
    });
  else if (!mediaTypeForm.test(mediaType))
    violations.push({ field: 'Content-Type', description: 'must be a media type such as video/mp4' });
  if (violations.length > 0) throw invalidParams(violations);
  return { ...(filename !== undefined && { filename }), mediaType };
}

/** A name without a path and control characters. */
function isFileName(name: string): boolean {
  return name !== '' && name.length <= LONGEST_NAME && !/[\p{Cc}/\\]/u.test(name);
}

/** SHA-256 in hexadecimal digits, from `Content-Digest` or `Repr-Digest` (RFC 9530). @throws {A2AError} InvalidParams */
export function digestIn(headers: Readonly<Record<string, unknown>>): string | undefined {
  const field = ['content-digest', 'repr-digest'].find((name) => headers[name] !== undefined);
  if (field === undefined) return undefined;
  const [, base64 = ''] = /(?:^|, *)sha-256=:([A-Za-z\d+/]{43}=):/.exec(String(headers[field])) ?? [];
  if (base64 === '') throw invalidParams([{ field, description: 'must have sha-256=:<base64>:' }]);
  return Buffer.from(base64, 'base64').toString('hex');
}
