import { expect, it } from 'vitest';
import { readSettings } from '../../src/up/settings.ts';

it('the port for gRPC is the one after PORT, and not the one that was given to the operators', async () => {
  const grpcPort = async (environment: Record<string, string>) => (await readSettings(environment)).grpcPort;
  expect(await grpcPort({ PORT: '4300', ADMIN_PORT: '4390' })).toBe('4301');
  expect(await grpcPort({ PORT: '4300', ADMIN_PORT: '4301' })).toBe('4302');
  expect(await grpcPort({ PORT: '65535', ADMIN_PORT: '65534' })).toBe('65533');
  expect(await grpcPort({ PORT: '4300', ADMIN_PORT: '4301', GRPC_PORT: '4305' })).toBe('4305');
});
