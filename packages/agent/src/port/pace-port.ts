/** A request that counts against the limits of a name, which the deployment sets for all its workers together. */
export interface RoomRequest {
  /** Such as `api.openai.com/gpt-5-mini`. */
  readonly name: string;
  /** Limits count for each account: tells accounts of the same name apart, without being a secret. */
  readonly account?: string | undefined;
  /** Tokens that the request will probably use. Default: 0. */
  readonly tokens?: number | undefined;
}

/** `go`: the request may begin in `inMs`. `wait`: it may begin in about `inMs`; ask again after `askMs`. */
export interface RoomReply {
  readonly verdict: 'go' | 'wait';
  readonly inMs: number;
  readonly askMs: number;
  /** The place in line, for the next time. */
  readonly tag: string;
}

/** What became of a request that had room. */
export interface RoomCorrection {
  /** Those that it used beyond its reservation; negative: it used fewer. Counts once. */
  readonly tokens?: number;
  /** Nobody begins a request of this name for so long. */
  readonly pausedMs?: number;
}

/** Keeps the pace of requests over all workers. */
export interface PacePort {
  /** Never rejects: without Redis, the answer is `go`. @param id of the request, the same each time that it asks */
  ask(id: string, request: RoomRequest, tag?: string): Promise<RoomReply>;
  /** Never rejects. */
  correct(id: string, request: RoomRequest, correction: RoomCorrection): Promise<void>;
}
