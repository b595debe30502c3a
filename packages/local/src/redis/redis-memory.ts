import { totalmem } from 'node:os';

/** Of the memory of the machine, or of the container: gateway and workers use the rest. */
const SHARE = 0.5;

/**
 * The memory that a Redis on this machine may use, in bytes. Without a limit, the kernel would end some process when
 * memory is full; with it, Switchyard makes room, or refuses messages.
 * @param containerBytes limit of the container (cgroup); 0, or more than the machine has: none
 */
export function redisMemoryBytes(machineBytes = totalmem(), containerBytes = process.constrainedMemory()): number {
  const bytes = containerBytes > 0 ? Math.min(machineBytes, containerBytes) : machineBytes;
  return Math.floor(bytes * SHARE);
}
