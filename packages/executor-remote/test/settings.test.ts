import { expect, it } from 'vitest';
import { type RemoteAgentDefinition, type RemoteSettings, remoteAgent, remoteExecutor } from '../src/index.ts';

it.each([
  ['no address', {}, 'remoteExecutor cannot be made: cardUrl is missing'],
  ['an address without http://', { cardUrl: 'localhost:3000' }, 'cardUrl is "localhost:3000" and must be a URL'],
  ['an origin without http://', { trustedOrigins: ['api:80'] }, 'trustedOrigins[0] is "api:80" and must be a URL'],
  ['a binding that is none here', { binding: 'GRPC' }, 'binding is "GRPC" and must be "JSONRPC" or "HTTP+JSON"'],
  ['headers as a text', { headers: 'Authorization: x' }, 'headers must be an object, or headers must be a function'],
  [
    'a network that is none',
    { policy: { allowHttp: false, allowHosts: ['1.2.3'] } },
    'policy.allowHosts must be hosts',
  ],
  ['a misspelt name', { bindin: 'JSONRPC' }, 'bindin is unknown (did you mean binding?)'],
])('a setting that is plainly wrong is named when the executor is made: %s', (_, wrong, text) => {
  const given = Object.keys(wrong).length === 0 ? {} : { cardUrl: 'https://agent.example', ...wrong };
  expect(() => remoteExecutor(given as RemoteSettings)).toThrow(text);
});

it('so it is for a remote agent, before its card is read', async () => {
  const wrong = { id: 'oven', cardUrl: 'localhost:3000', cardTimeoutMs: Number.NaN };
  await expect(remoteAgent(wrong)).rejects.toThrow(
    'remoteAgent cannot be made: cardUrl is "localhost:3000" and must be a URL that begins with http:// or https://; ' +
      'cardTimeoutMs is NaN',
  );
  await expect(remoteAgent({ id: 'oven' } as RemoteAgentDefinition)).rejects.toThrow('cardUrl is missing');
});
