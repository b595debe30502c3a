import { readdir, readFile, readlink } from 'node:fs/promises';
import { connect } from 'node:net';
import { z } from 'zod';
import { urlOf } from '../up/settings.ts';

const TIMEOUT_MS = 1_000;

/** The owner of a port of this machine. */
export type PortHolder = 'nobody' | 'switchyard' | { readonly program: string | undefined };

/** A host and port of this machine, as in the settings. */
interface Place {
  readonly host: string;
  readonly port: number;
}

/** Identifies a gateway without a key: by its health on the clients' port, its realm on the operators' port. */
export async function holderOf(place: Place): Promise<PortHolder> {
  if (!(await takesConnections(place))) return 'nobody';
  return (await isGateway(place)) ? 'switchyard' : { program: await programOn(place.port) };
}

function takesConnections(place: Place): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect({ ...place, timeout: TIMEOUT_MS });
  socket.once('connect', () => resolve(true));
  socket.once('timeout', () => resolve(true));
  socket.once('error', () => resolve(false));
  return promise.finally(() => socket.destroy());
}

const healthSchema = z.object({ status: z.literal('ok') });

async function isGateway(place: Place): Promise<boolean> {
  try {
    const response = await fetch(`${urlOf(place)}/healthz`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    const isOperators = response.headers.get('www-authenticate')?.includes('switchyard operators') === true;
    return isOperators || healthSchema.safeParse(await response.json()).success;
  } catch {
    // It uses another protocol, or does not answer.
    return false;
  }
}

/** `python3 (process 1234)`; undefined if the system does not reveal it, as for other users' processes. */
async function programOn(port: number): Promise<string | undefined> {
  const sockets = new Set((await listeningSockets(port)).map((inode) => `socket:[${inode}]`));
  if (sockets.size === 0) return undefined;
  const processes = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  for (const pid of processes) {
    const open = await openFiles(pid);
    if (open.some((file) => sockets.has(file)))
      return readFile(`/proc/${pid}/comm`, 'utf8').then(
        (name) => `${name.trim()} (process ${pid})`,
        () => undefined, // it has ended
      );
  }
  return undefined;
}

/** Linux has two tables of sockets; other systems have none. Each line: number, address:port, …, state, …, inode. */
async function listeningSockets(port: number): Promise<string[]> {
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map((name) => readFile(`/proc/net/${name}`, 'utf8').catch(() => '')),
  );
  const wanted = port.toString(16).toUpperCase().padStart(4, '0');
  return tables
    .flatMap((table) => table.split('\n').map((line) => line.trim().split(/\s+/)))
    .filter(([, address, , state]) => state === '0A' && address?.endsWith(`:${wanted}`))
    .flatMap((fields) => fields[9] ?? []);
}

async function openFiles(pid: string): Promise<string[]> {
  const folder = `/proc/${pid}/fd`;
  const names = await readdir(folder).catch(() => []);
  return Promise.all(names.map((name) => readlink(`${folder}/${name}`).catch(() => '')));
}
