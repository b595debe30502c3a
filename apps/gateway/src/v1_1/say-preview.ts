import type { ServerResponse } from 'node:http';
import { previewVersion } from '../exchange/service-parameters.ts';

/** The answer to a request of A2A 1.1 says so, also to caches: the same path has another answer in 1.0. */
export function sayPreview(res: ServerResponse): void {
  res.setHeader('A2A-Version', previewVersion);
  res.appendHeader('Vary', 'A2A-Version');
}
