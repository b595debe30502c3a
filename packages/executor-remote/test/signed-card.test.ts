import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { generateAgentCardSignature, type AgentCard as SdkCard } from '@a2a-js/sdk';
import type { AgentCard } from '@switchyard/protocol';
import { CardVerifier } from '@switchyard/signatures';
import { exportJWK, generateKeyPair } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { remoteAgent } from '../src/index.ts';

const card: AgentCard = {
  name: 'Far away',
  description: 'Is elsewhere',
  version: '1.0.0',
  supportedInterfaces: [{ url: 'https://far.example', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
  capabilities: {},
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [{ id: 'be', name: 'Be', description: 'Is', tags: ['test'] }],
};

let server: Server;
let cardUrl: string;
let served: object;
let signed: object;
let cardVerifier: CardVerifier;

beforeAll(async () => {
  const { publicKey, privateKey } = await generateKeyPair('EdDSA');
  const sign = generateAgentCardSignature(privateKey, { alg: 'EdDSA', typ: 'JOSE', kid: 'far' });
  const { signatures } = await sign(card as unknown as SdkCard);
  signed = { ...card, signatures };
  cardVerifier = new CardVerifier({ keys: { keys: [{ ...(await exportJWK(publicKey)), kid: 'far' }] } });
  server = createServer((_req, res) => {
    res.setHeader('content-type', 'application/json').end(JSON.stringify(served));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  cardUrl = `http://127.0.0.1:${port}/card.json`;
});

afterAll(() => new Promise((resolve) => server.close(resolve)));

const open = () => remoteAgent({ id: 'far', cardUrl, cardVerifier, retryBudgetMs: 1 });

describe('the card of a remote agent', () => {
  it('is accepted with a signature of a trusted key', async () => {
    served = signed;
    expect((await open()).card.name).toBe('Far away');
  });

  it('is refused if it was changed after signing, or has no signature', async () => {
    served = { ...signed, supportedInterfaces: [{ ...card.supportedInterfaces[0], url: 'https://evil.example' }] };
    await expect(open()).rejects.toThrow(/no valid signature of a trusted key/);
    served = card;
    await expect(open()).rejects.toThrow(/it has no signature/);
  });
});
