// `node scripts/try-chart.ts <folder>`: installs the chart on a real API server, and runs what its pods would run.
// The folder has etcd and kube-apiserver, and, for scaling, keda-operator, keda-crds/, kube-controller-manager and
// keda-adapter: docs/kubernetes.md says how to build them. Needs Linux, root (network namespaces), openssl, kubectl, helm.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ControlPlane } from './chart/cluster/control-plane.ts';
import { Network } from './chart/cluster/network.ts';
import { StandInNode } from './chart/cluster/node.ts';
import { Trial } from './chart/cluster/trial.ts';

const [binaries] = process.argv.slice(2);
if (binaries === undefined) throw new Error('name the folder with etcd and kube-apiserver');
// The API server signs its own certificate.
process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';

const beganAt = performance.now();
const tell = (line: string): void => {
  process.stdout.write(`${((performance.now() - beganAt) / 1_000).toFixed(1).padStart(6)}  ${line}\n`);
};
const folder = mkdtempSync(join(tmpdir(), 'switchyard-try-'));
const network = new Network();
const plane = new ControlPlane(network, { binaries, folder });
const node = new StandInNode(plane.api, network, { folder, tell });
const trial = new Trial(plane, tell);

try {
  await plane.start();
  tell(`the API server is ready: ${/Server Version: \S+/.exec(await plane.kubectl('version'))?.[0]}`);
  const isScaled = plane.has('keda-operator');
  if (isScaled) await plane.startKeda(join(binaries, 'keda-crds'));
  if (plane.has('kube-controller-manager')) await plane.startAutoscaler();
  await trial.install(isScaled);
  void node.run();
  await trial.becomesReady();
  if (isScaled) {
    await trial.goesToZero();
    await trial.isWokenBy(40);
    await trial.goesToZero();
    await trial.answersFromZero();
  }
  await trial.bearsALostRedis();
  await trial.isUpgraded();
  tell('done');
} finally {
  await node.stop();
  await plane.stop();
  network.close();
  if (process.exitCode === undefined) rmSync(folder, { recursive: true, force: true });
}
