// `npm run deploy:check`: what can be checked of Dockerfile, docker-compose.yml and systemd's units without running them.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { checkCompose, floatingImage } from './deploy/check-compose.ts';
import { checkDockerfile } from './deploy/check-dockerfile.ts';
import { checkLoadBalancer } from './deploy/check-load-balancer.ts';
import { checkPrometheus } from './deploy/check-prometheus.ts';
import { checkSystemd } from './deploy/check-systemd.ts';

const compose = parse(readFileSync('docker-compose.yml', 'utf8'), { merge: true });
const problems = [
  ...checkDockerfile(readFileSync('Dockerfile', 'utf8'), '.'),
  ...checkCompose(compose, '.'),
  ...checkLoadBalancer(readFileSync('deploy/haproxy.cfg', 'utf8'), compose.services),
  ...checkPrometheus(
    parse(readFileSync('deploy/prometheus/prometheus.yml', 'utf8')),
    compose.services,
    'deploy/prometheus',
  ),
  ...floatingImage(/^FROM (\S+)/m.exec(readFileSync('deploy/secrets/Dockerfile', 'utf8'))?.[1]),
  ...checkSystemd('deploy/systemd'),
  ...dockersOwnCheck(),
];
for (const problem of problems) process.stderr.write(`${problem}\n`);
if (problems.length > 0) process.exitCode = 1;
else process.stdout.write('Dockerfile, docker-compose.yml and units of systemd hold together.\n');

/** Where the compose plugin is installed, its word counts too; it needs no engine. */
function dockersOwnCheck(): string[] {
  if (spawnSync('docker', ['compose', 'version'], { stdio: 'ignore' }).status !== 0) return [];
  const { status, stderr } = spawnSync('docker', ['compose', 'config', '--quiet'], { encoding: 'utf8' });
  return status === 0 ? [] : [`docker compose config: ${stderr.trim()}`];
}
