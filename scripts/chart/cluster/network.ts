import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';

const bridge = 'sw-try';
const prefix = '10.44.0';

/** An address of its own on this machine, as a pod has it. */
export interface Host {
  readonly name: string;
  readonly address: string;
}

/** Hosts in network namespaces, on a bridge that leads nowhere else. Needs root. */
export class Network {
  /** Of this machine, as the hosts see it. */
  readonly address = `${prefix}.1`;
  readonly #hosts = new Map<string, Host>();
  #names: Readonly<Record<string, string>> = {};
  #next = 10;

  constructor() {
    this.#removeOld();
    ip(`link add ${bridge} type bridge`);
    ip(`addr add ${this.address}/24 dev ${bridge}`);
    ip(`link set ${bridge} up`);
  }

  add(): Host {
    const number = this.#next++;
    const host = { name: `${bridge}-${number}`, address: `${prefix}.${number}` };
    const link = `swt${number}`;
    ip(`netns add ${host.name}`);
    ip(`link add ${link} type veth peer name eth0 netns ${host.name}`);
    ip(`link set ${link} master ${bridge} up`);
    ip(`-n ${host.name} addr add ${host.address}/24 dev eth0`);
    for (const device of ['lo', 'eth0']) ip(`-n ${host.name} link set ${device} up`);
    mkdirSync(`/etc/netns/${host.name}`, { recursive: true });
    this.#hosts.set(host.name, host);
    this.#writeNames(host);
    return host;
  }

  /** Stands for the cluster's DNS and its services: each name leads to one address. */
  setNames(names: Readonly<Record<string, string>>): void {
    if (JSON.stringify(names) === JSON.stringify(this.#names)) return;
    this.#names = names;
    for (const host of this.#hosts.values()) this.#writeNames(host);
  }

  remove({ name }: Host): void {
    if (!this.#hosts.delete(name)) return;
    ip(`netns del ${name}`);
    rmSync(`/etc/netns/${name}`, { recursive: true, force: true });
  }

  close(): void {
    for (const host of [...this.#hosts.values()]) this.remove(host);
    ip(`link del ${bridge}`);
  }

  /** Of a try that was killed. */
  #removeOld(): void {
    const names = execFileSync('ip', ['netns', 'list'], { encoding: 'utf8' })
      .split('\n')
      .map((line) => line.split(' ')[0] ?? '');
    for (const name of names.filter((each) => each.startsWith(`${bridge}-`))) ip(`netns del ${name}`);
    if (spawnSync('ip', ['link', 'show', bridge], { stdio: 'ignore' }).status === 0) ip(`link del ${bridge}`);
  }

  #writeNames({ name }: Host): void {
    const lines = Object.entries(this.#names).map(([host, address]) => `${address} ${host}\n`);
    writeFileSync(`/etc/netns/${name}/hosts`, `127.0.0.1 localhost\n${lines.join('')}`);
  }
}

function ip(command: string): void {
  execFileSync('ip', command.split(' '), { stdio: ['ignore', 'ignore', 'inherit'] });
}
