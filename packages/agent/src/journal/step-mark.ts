import { hash } from 'node:crypto';
import type { ArtifactEvent } from '@switchyard/protocol';

/** A summary of the events of one step. */
export interface StepMark {
  /** Status events so far. */
  readonly statuses: number;
  /** Artifact events so far, and a digest of them in their order. */
  readonly chunks: number;
  readonly digest: string;
}

/** The digest after one more artifact event. */
export function nextDigest(digest: string, event: ArtifactEvent): string {
  return hash('sha256', digest + JSON.stringify(event), 'base64url').slice(0, 16);
}

export function writeMark({ statuses, chunks, digest }: StepMark): string {
  return `${statuses} ${chunks} ${digest}`;
}

/** @param text '' if there were no events */
export function readMark(text: string): StepMark {
  const [statuses = '', chunks = '', digest = ''] = text.split(' ');
  return { statuses: Number(statuses), chunks: Number(chunks), digest };
}
