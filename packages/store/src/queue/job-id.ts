/** Job ids may neither contain a colon nor be a number. */
export function jobId(taskId: string, job: number): string {
  return `${taskId}.${job}`;
}

export function parseJobId(id: string): { taskId: string; job: number } {
  const dot = id.lastIndexOf('.');
  return { taskId: id.slice(0, dot), job: Number(id.slice(dot + 1)) };
}
