/** For tests of agents with a real gateway, worker and Redis: `@switchyard/cli/testing`. */
export type { SentMessage } from './sent-message.ts';
export { type SendOptions, type TestGateway, type TestGatewayOptions, testGateway } from './test-gateway.ts';
