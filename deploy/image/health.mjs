// The image's health check: whether what process 1 runs, a gateway, a worker or both, answers at /healthz.

import { readFileSync } from 'node:fs';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';

const { PORT = '4000', METRICS_PORT = '9464', TLS_CERT_FILE } = process.env;
const gateway = `${TLS_CERT_FILE ? 'https' : 'http'}://127.0.0.1:${PORT}/healthz`;
const worker = `http://127.0.0.1:${METRICS_PORT}/healthz`;
const addresses = { gateway: [gateway], worker: [worker], all: [gateway, worker] };

const command = readFileSync('/proc/1/cmdline', 'utf8')
  .split('\0')
  .find((word) => Object.hasOwn(addresses, word));
for (const address of addresses[command] ?? []) await ask(address);

/** Rejects, which ends the process with 1, unless the answer is 200. */
function ask(address) {
  return new Promise((resolve, reject) => {
    const request = address.startsWith('https:') ? requestHttps : requestHttp;
    // The certificate is for the names that clients use.
    const asked = request(address, { rejectUnauthorized: false, timeout: 2_000 }, ({ statusCode }) =>
      statusCode === 200 ? resolve() : reject(new Error(`${address} answers ${statusCode}`)),
    );
    asked.on('timeout', () => asked.destroy(new Error(`${address} does not answer`)));
    asked.on('error', reject);
    asked.end();
  });
}
