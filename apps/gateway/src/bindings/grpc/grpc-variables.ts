import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { defaultGatewaySettings } from '../../settings.ts';
import type { GrpcSettings, TlsSettings } from './settings.ts';

const port = z.coerce.number({ error: 'must be a port number' }).int().min(0).max(65_535);

const variables = z.object({
  PORT: port.catch(0).default(defaultGatewaySettings.port),
  GRPC_PORT: z.union([z.literal('off'), port], { error: 'must be a port number, or off' }).optional(),
  GRPC_PUBLIC_ADDRESS: z
    .string()
    .regex(/^[^/\s]+:\d{1,5}$/, 'must be host:port, such as grpc.example.com:443')
    .optional(),
  GRPC_TLS_CERT_FILE: z.string().optional(),
  GRPC_TLS_KEY_FILE: z.string().optional(),
});
type Variables = z.infer<typeof variables>;
type Context = z.core.$RefinementCtx;

/** The gRPC binding, from the environment. */
export const grpcVariables = variables.transform((env, context): GrpcSettings | undefined => {
  const grpcPort = env.GRPC_PORT ?? nextTo(env.PORT);
  if (grpcPort === 'off') return undefined;
  return { port: grpcPort, publicAddress: env.GRPC_PUBLIC_ADDRESS, tls: readTls(env, context) };
});

/** 4001 beside 4000, so that a gateway on another port is on other ports altogether. */
function nextTo(httpPort: number): number {
  return httpPort === 0 || httpPort === 65_535 ? 0 : httpPort + 1;
}

function readTls(env: Variables, context: Context): TlsSettings | undefined {
  const { GRPC_TLS_CERT_FILE: certificate, GRPC_TLS_KEY_FILE: privateKey } = env;
  if (certificate === undefined && privateKey === undefined) return undefined;
  return {
    certificate: readPem(context, 'GRPC_TLS_CERT_FILE', certificate),
    privateKey: readPem(context, 'GRPC_TLS_KEY_FILE', privateKey),
  };
}

function readPem(context: Context, name: string, file: string | undefined): Buffer {
  try {
    if (file !== undefined) return readFileSync(file);
    report(context, name, 'is needed: TLS takes a certificate and its key');
  } catch (error) {
    report(context, name, `cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  return Buffer.of();
}

function report(context: Context, name: string, message: string): void {
  context.addIssue({ code: 'custom', path: [name], message });
}
