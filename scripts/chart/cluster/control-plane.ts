import { execFile, execFileSync } from 'node:child_process';
import { createWriteStream, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type GuardedProcess, spawnGuarded } from '@switchyard/local';
import { ApiServer } from './api.ts';
import type { Host, Network } from './network.ts';

const token = 'of-this-try-alone';
const port = 16443;

/** etcd, an API server, and what else of a cluster was built: `deploy/helm/README.md` says how. */
export class ControlPlane {
  readonly api = new ApiServer(`https://127.0.0.1:${port}`, token);
  readonly kubeconfig: string;
  readonly #binaries: string;
  readonly #folder: string;
  readonly #network: Network;
  readonly #started: GuardedProcess[] = [];

  constructor(network: Network, { binaries, folder }: { binaries: string; folder: string }) {
    this.#network = network;
    this.#binaries = binaries;
    this.#folder = folder;
    this.kubeconfig = join(folder, 'kubeconfig');
  }

  has(program: string): boolean {
    return existsSync(join(this.#binaries, program));
  }

  async start(): Promise<void> {
    mkdirSync(join(this.#folder, 'pki'), { recursive: true });
    this.#makeCertificates();
    writeFileSync(this.#file('tokens'), `${token},admin,admin,system:masters\n`);
    writeFileSync(this.kubeconfig, kubeconfig(`https://${this.#network.address}:${port}`));
    const etcd = 'http://127.0.0.1:23790';
    await this.#run('etcd', [
      ...['--data-dir', this.#file('etcd'), '--listen-client-urls', etcd, '--advertise-client-urls', etcd],
      ...['--listen-peer-urls', 'http://127.0.0.1:23800'],
    ]);
    await this.#run('kube-apiserver', [
      ...['--etcd-servers', etcd, '--secure-port', String(port), '--cert-dir', this.#file('pki')],
      ...['--token-auth-file', this.#file('tokens'), '--authorization-mode', 'RBAC'],
      ...['--service-account-issuer', 'https://kubernetes.default.svc', '--service-cluster-ip-range', '10.96.0.0/16'],
      ...['--service-account-key-file', this.#file('pki/sa.key')],
      ...['--service-account-signing-key-file', this.#file('pki/sa.key')],
      // So that the API of external metrics knows whom this server asks for.
      ...['--requestheader-client-ca-file', this.#file('pki/ca.crt'), '--requestheader-allowed-names', 'aggregator'],
      ...['--requestheader-username-headers', 'X-Remote-User', '--requestheader-group-headers', 'X-Remote-Group'],
      ...['--requestheader-extra-headers-prefix', 'X-Remote-Extra-'],
      ...['--proxy-client-cert-file', this.#file('pki/aggregator.crt')],
      ...['--proxy-client-key-file', this.#file('pki/aggregator.key'), '--enable-aggregator-routing'],
    ]);
    while (!(await this.api.isReady())) await delay(500);
  }

  /** The controller of HorizontalPodAutoscalers alone: the stand-ins do what other controllers would. */
  async startAutoscaler(): Promise<void> {
    await this.#run('kube-controller-manager', [
      ...['--kubeconfig', this.kubeconfig, '--controllers', 'horizontal-pod-autoscaler-controller'],
      ...['--leader-elect=false', '--secure-port', '0', '--horizontal-pod-autoscaler-sync-period', '5s'],
    ]);
  }

  /** KEDA's operator and, if it was built, its API of external metrics, on a host of their own. @param crds their folder */
  async startKeda(crds: string): Promise<Host> {
    const host = this.#network.add();
    await this.kubectl('apply', '--server-side', '--filename', crds);
    await this.kubectl('create', 'namespace', 'keda');
    const certificates = this.#file('keda');
    mkdirSync(certificates);
    for (const name of ['ca.crt', 'tls.crt', 'tls.key']) {
      const file = name.replace('tls', 'keda-operator');
      execFileSync('cp', [this.#file(`pki/${file}`), join(certificates, name)]);
    }
    const env = {
      POD_NAMESPACE: 'keda',
      KEDA_CLUSTER_OBJECT_NAMESPACE: 'keda',
      WATCH_NAMESPACE: '',
      KUBECONFIG: this.kubeconfig,
    };
    const shared = ['--cert-dir', certificates];
    await this.#run('keda-operator', ['--kubeconfig', this.kubeconfig, ...shared], { host, env });
    if (this.has('keda-adapter')) await this.#startExternalMetrics(host, { env, certificates });
    return host;
  }

  async #startExternalMetrics(
    host: Host,
    { env, certificates }: { env: Readonly<Record<string, string>>; certificates: string },
  ): Promise<void> {
    const configs = ['--lister-kubeconfig', '--authentication-kubeconfig', '--authorization-kubeconfig'];
    await this.#run(
      'keda-adapter',
      [
        ...configs.flatMap((name) => [name, this.kubeconfig]),
        ...['--secure-port', '6443', '--client-ca-file', join(certificates, 'ca.crt'), '--cert-dir', certificates],
        ...['--tls-cert-file', join(certificates, 'tls.crt'), '--port', '8090'],
        ...['--tls-private-key-file', join(certificates, 'tls.key')],
        ...['--metrics-service-address', '127.0.0.1:9666'],
        ...['--metrics-service-grpc-authority', 'keda-operator.keda.svc'],
      ],
      { host, env },
    );
    const service = { name: 'keda-metrics-apiserver', namespace: 'keda' };
    await this.api.create('/api/v1/namespaces/keda/services', {
      metadata: service,
      spec: { ports: [{ name: 'https', port: 443, targetPort: 6443 }] },
    });
    await this.api.create('/apis/discovery.k8s.io/v1/namespaces/keda/endpointslices', {
      metadata: { name: service.name, labels: { 'kubernetes.io/service-name': service.name } },
      addressType: 'IPv4',
      ports: [{ name: 'https', port: 6443 }],
      endpoints: [{ addresses: [host.address], conditions: { ready: true } }],
    });
    await this.api.create('/apis/apiregistration.k8s.io/v1/apiservices', {
      metadata: { name: 'v1beta1.external.metrics.k8s.io' },
      spec: {
        service,
        group: 'external.metrics.k8s.io',
        version: 'v1beta1',
        insecureSkipTLSVerify: true,
        groupPriorityMinimum: 100,
        versionPriority: 100,
      },
    });
  }

  /** @returns what it prints */
  kubectl(...args: readonly string[]): Promise<string> {
    return this.#tool('kubectl', args);
  }

  helm(...args: readonly string[]): Promise<string> {
    return this.#tool('helm', args);
  }

  async #tool(program: string, args: readonly string[]): Promise<string> {
    const path = this.has(program) ? join(this.#binaries, program) : program;
    const env = { ...process.env, KUBECONFIG: this.kubeconfig };
    return (await promisify(execFile)(path, args, { env, maxBuffer: 2 ** 26 })).stdout;
  }

  async stop(): Promise<void> {
    for (const process of this.#started.reverse()) await process.stop();
  }

  async #run(
    program: string,
    args: readonly string[],
    { host, env = {} }: { readonly host?: Host; readonly env?: Readonly<Record<string, string>> } = {},
  ): Promise<void> {
    const words = [...(host ? ['ip', 'netns', 'exec', host.name] : []), join(this.#binaries, program), ...args];
    const [first = '', ...rest] = words;
    const child = await spawnGuarded(first, rest, { env: { PATH: process.env.PATH ?? '', ...env } });
    const log = createWriteStream(this.#file(`${program}.log`));
    for (const stream of [child.stdout, child.stderr]) stream.pipe(log, { end: false });
    this.#started.push(child);
  }

  #file(name: string): string {
    return join(this.#folder, name);
  }

  #makeCertificates(): void {
    const openssl = (line: string): void => {
      execFileSync('openssl', line.split(' '), { cwd: join(this.#folder, 'pki'), stdio: 'ignore' });
    };
    openssl('genrsa -out sa.key 2048');
    openssl('req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.crt -subj /CN=try -days 2');
    for (const name of ['aggregator', 'keda-operator']) {
      openssl(`req -newkey rsa:2048 -nodes -keyout ${name}.key -out ${name}.csr -subj /CN=${name}`);
      const names = `${name}.keda.svc,DNS:${name}.keda.svc.cluster.local`;
      writeFileSync(this.#file('pki/names'), `subjectAltName=DNS:${names}\n`);
      openssl(
        `x509 -req -in ${name}.csr -CA ca.crt -CAkey ca.key -CAcreateserial -out ${name}.crt -days 2 -extfile names`,
      );
    }
  }
}

function kubeconfig(server: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'try', cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'try', user: { token } }],
    contexts: [{ name: 'try', context: { cluster: 'try', user: 'try' } }],
    'current-context': 'try',
  });
}
