/** Requests of the protocol tus, as any of its clients sends them. */

const tus = { 'tus-resumable': '1.0.0' };

/** Creates an upload. @returns the answer, with its `location` */
export function createUpload(
  url: string,
  { sizeBytes, filename = 'file.bin' }: { readonly sizeBytes: number; readonly filename?: string },
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const metadata = `filename ${Buffer.from(filename).toString('base64')},filetype ${btoa('video/mp4')}`;
  return fetch(`${url}/files`, {
    method: 'POST',
    headers: { ...tus, 'upload-length': String(sizeBytes), 'upload-metadata': metadata, ...headers },
  });
}

export function sendPiece(
  upload: string,
  { offset, piece }: { readonly offset: number; readonly piece: Uint8Array | AsyncIterable<Uint8Array> },
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const body = piece instanceof Uint8Array ? Buffer.from(piece) : ReadableStream.from(piece);
  const type = { 'content-type': 'application/offset+octet-stream' };
  const request = { method: 'PATCH', headers: { ...tus, ...type, 'upload-offset': String(offset), ...headers }, body };
  return fetch(upload, { ...request, duplex: 'half' });
}

/** Bytes of the upload that the gateway has; NaN: it has no such upload. */
export async function storedBytes(upload: string, headers: Readonly<Record<string, string>> = {}): Promise<number> {
  const { headers: answer } = await fetch(upload, { method: 'HEAD', headers: { ...tus, ...headers } });
  return Number(answer.get('upload-offset') ?? Number.NaN);
}
