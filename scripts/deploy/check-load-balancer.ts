import type { Service } from './check-compose.ts';

/** Finds servers of the load balancer that do not exist, and published ports that it does not listen on. */
export function checkLoadBalancer(config: string, services: Readonly<Record<string, Service>>): string[] {
  const balancer = services['load-balancer'];
  const servers = config.matchAll(/^\s*server-template \S+ 1-(\d+) ([\w-]+):(\d+)/gm);
  const binds = new Set(Array.from(config.matchAll(/^\s*bind \S*:(\d+)/gm), ([, port = '']) => port));
  const published = (balancer?.ports ?? []).map((port) => port.split(':').at(-1) ?? '');
  return [
    ...[...servers].flatMap(([, , name = '', port = '']) => serverProblems(name, port, services)),
    ...published.filter((port) => !binds.has(port)).map((port) => `listens on no port ${port}, which is published`),
    ...[...binds]
      .filter((port) => !published.includes(port))
      .map((port) => `listens on ${port}, which is not published`),
  ].map((problem) => `deploy/haproxy.cfg: ${problem}`);
}

function serverProblems(name: string, port: string, services: Readonly<Record<string, Service>>): string[] {
  const service = services[name];
  if (!service) return [`looks for ${name}, which does not exist`];
  const { PORT, GRPC_PORT } = service.environment ?? {};
  const isReached = service.networks?.some((network) => services['load-balancer']?.networks?.includes(network));
  return [
    ...([PORT, GRPC_PORT].includes(port) ? [] : [`looks for ${name} on port ${port}, where it does not listen`]),
    ...(isReached ? [] : [`looks for ${name}, with which it has no network in common`]),
  ];
}
