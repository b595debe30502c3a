/** For the tests of agents, with everything that runs them: `@switchyard/cli/testing`. */
export type { SentMessage } from './sent-message.ts';
export { type SendOptions, type TestGateway, type TestGatewayOptions, testGateway } from './test-gateway.ts';
