import { type RequestOptions, request } from 'node:http';

/** Whether a Docker engine answers within half a second: at DOCKER_HOST, else at the usual socket. */
export function isDockerRunning(host = process.env.DOCKER_HOST ?? 'unix:///var/run/docker.sock'): Promise<boolean> {
  return new Promise((resolve) => {
    const ping = request({ ...address(host), path: '/_ping', timeout: 500 }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    ping.on('timeout', () => ping.destroy());
    ping.on('error', () => resolve(false));
    ping.end();
  });
}

function address(host: string): RequestOptions {
  const url = new URL(host);
  return url.protocol === 'unix:' ? { socketPath: url.pathname } : { host: url.hostname, port: url.port };
}
