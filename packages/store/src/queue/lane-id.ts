/** A webhook's line of deliveries: the task, and the number of the webhook within it, which is never used again. */
export interface LaneId {
  readonly taskId: string;
  readonly lane: number;
}

/** As it stands in `push` and in job ids: `<task>.<lane>`. */
export function laneText({ taskId, lane }: LaneId): string {
  return `${taskId}.${lane}`;
}

export function parseLane(text: string): LaneId {
  const dot = text.lastIndexOf('.');
  return { taskId: text.slice(0, dot), lane: Number(text.slice(dot + 1)) };
}
