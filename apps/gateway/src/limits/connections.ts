import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { networkOf } from '../exchange/addresses.ts';
import type { ConnectionLimits } from '../settings/connection-settings.ts';
import type { Emit } from '../telemetry/events.ts';

/** Node's diagnostics channel for new connections, before anything is read. The gRPC library does not expose them. */
const channel = 'net.server.socket';

/** Minimum time between two events about refused connections. */
const REPORT_EVERY_MS = 60_000;

/** Limits the clients' connections over all bindings: in total, and per address or IPv6 network. */
export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #emit: Emit;
  readonly #ports = new Set<number>();
  readonly #ofNetwork = new Map<string, number>();
  #open = 0;
  #reportedAt = -REPORT_EVERY_MS;

  constructor(limits: ConnectionLimits, emit: Emit) {
    this.#limits = limits;
    this.#emit = emit;
  }

  get open(): number {
    return this.#open;
  }

  /** @param ports of the clients' listeners */
  start(ports: readonly (number | undefined)[]): void {
    for (const port of ports) if (port !== undefined) this.#ports.add(port);
    subscribe(channel, this.#onConnection);
  }

  stop(): void {
    unsubscribe(channel, this.#onConnection);
  }

  readonly #onConnection = (message: unknown): void => {
    const { socket } = message as { readonly socket: Socket };
    if (socket.localPort === undefined || !this.#ports.has(socket.localPort)) return;
    const network = networkOf(socket.remoteAddress) ?? '';
    if (this.#isFull(network)) {
      this.#report(network);
      return void socket.destroy();
    }
    this.#count(network, 1);
    socket.once('close', () => this.#count(network, -1));
  };

  #isFull(network: string): boolean {
    const { max, maxPerAddress } = this.#limits;
    return this.#open >= max || (maxPerAddress > 0 && (this.#ofNetwork.get(network) ?? 0) >= maxPerAddress);
  }

  #count(network: string, change: 1 | -1): void {
    this.#open += change;
    if (this.#limits.maxPerAddress === 0) return;
    const count = (this.#ofNetwork.get(network) ?? 0) + change;
    if (count > 0) this.#ofNetwork.set(network, count);
    else this.#ofNetwork.delete(network);
  }

  #report(address: string): void {
    if (performance.now() - this.#reportedAt < REPORT_EVERY_MS) return;
    this.#reportedAt = performance.now();
    this.#emit({ kind: 'connections-refused', open: this.#open, address });
  }
}
