import type { RoomRequest } from '@switchyard/agent';
import type { PacePort, RoomCorrection } from '@switchyard/agent/runtime';
import { MemoryPort } from '@switchyard/agent/testing';

/** A turn whose worker has room for every request, with what it was asked for and told. */
export function pacedPort() {
  const asked: RoomRequest[] = [];
  const corrections: RoomCorrection[] = [];
  const pace: PacePort = {
    ask: async (_id, request) => {
      asked.push(request);
      return { verdict: 'go', inMs: 0, askMs: 0, tag: '' };
    },
    correct: async (_id, _request, correction) => void corrections.push(correction),
  };
  return { port: Object.assign(new MemoryPort({ message: 'Hello' }), { pace }), asked, corrections };
}
