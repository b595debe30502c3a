import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Part } from '@switchyard/protocol';
import { createUpload, sendPiece, storedBytes } from '../../../tests/support/tus.ts';
import { Deadline } from './lateness.ts';
import type { ResilientClient } from './resilient-client.ts';
import type { ScenarioFile } from './scenario.ts';

/** A file, or an upload that has begun, is not there any more, or has not come in time. */
export class FileLost extends Error {
  override readonly name = 'FileLost';
}

const GIVE_UP_AFTER_MS = 90_000;
const PIECES = 3;
const MEDIA_TYPE = 'application/octet-stream';

/** Stores a file at whichever gateways answer. @returns the part for a message @throws {FileLost} */
export function uploadFile(client: ResilientClient, file: ScenarioFile): Promise<Part> {
  return file.isInPieces ? uploadInPieces(client, file) : uploadWhole(client, file);
}

async function uploadWhole(client: ResilientClient, { name, content }: ScenarioFile): Promise<Part> {
  const headers = { 'content-type': MEDIA_TYPE };
  return repeated(`the upload of ${name}`, async () => {
    const url = `${originOf(client)}/files?filename=${name}`;
    const response = await fetch(url, { method: 'POST', body: Buffer.from(content), headers });
    const text = await response.text();
    if (response.status === 201) return (JSON.parse(text) as { part: Part }).part;
    return requireTemporary(response, text);
  });
}

async function uploadInPieces(client: ResilientClient, { name, content }: ScenarioFile): Promise<Part> {
  const location = await repeated(`an upload for ${name}`, async () => {
    const response = await createUpload(originOf(client), { sizeBytes: content.length, filename: name });
    const text = await response.text();
    return response.status === 201 ? response.headers.get('location') : requireTemporary(response, text);
  });
  const { pathname } = new URL(location);
  const pieceBytes = Math.ceil(content.length / PIECES);
  await repeated(`all pieces of ${name}`, async () => {
    const upload = originOf(client) + pathname;
    const offset = await storedBytes(upload);
    if (offset === content.length) return true;
    // Not every gateway answers HEAD with an offset: one may be stopping, and the store away.
    if (Number.isNaN(offset)) {
      const response = await fetch(upload, { method: 'HEAD', headers: { 'tus-resumable': '1.0.0' } });
      return requireTemporary(response, '');
    }
    const response = await sendPiece(upload, { offset, piece: content.subarray(offset, offset + pieceBytes) });
    const text = await response.text();
    // Another request, whose connection broke, is still writing.
    if (response.status !== 204 && response.status !== 409) requireTemporary(response, text);
    return false;
  });
  return { url: location, filename: name, mediaType: 'video/mp4' };
}

/** Reads a file to its end, whichever gateways answer. @returns its SHA-256 @throws {FileLost} */
export async function digestOf(client: ResilientClient, fileUrl: string): Promise<string> {
  const { pathname } = new URL(fileUrl);
  return repeated(`all of ${pathname}`, async () => {
    const response = await fetch(originOf(client) + pathname);
    if (response.status !== 200) return requireTemporary(response, await response.text());
    const hash = createHash('sha256');
    for await (const chunk of response.body ?? []) hash.update(chunk);
    return hash.digest('hex');
  });
}

/** Files are not below the URL of an agent. */
const originOf = (client: ResilientClient): string => new URL(client.url()).origin;

/** An answer after which the same request may succeed. */
function requireTemporary({ status, url }: Response, text: string): false {
  if (status >= 500 || status === 429 || status === 200) return false;
  throw new FileLost(`${url} was answered ${status}: ${text}`);
}

async function repeated<Value>(what: string, ask: () => Promise<Value | false | null>): Promise<Value> {
  const deadline = new Deadline(what, GIVE_UP_AFTER_MS);
  for (let last: unknown; ; ) {
    try {
      const value = await ask();
      if (value !== false && value !== null) {
        deadline.came();
        return value;
      }
    } catch (error) {
      if (error instanceof FileLost) throw error;
      last = error; // the gateway was just killed, or the file broke off
    }
    if (deadline.isOver) throw new FileLost(`${what} did not come in time`, { cause: last });
    await delay(100);
  }
}
