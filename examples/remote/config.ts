const { ALMANAC_PORT = '41241', REMOTE_CARD_URL, ALMANAC_LINE_MS = '200' } = process.env;

/** Where the agent that stands behind the queue has its card. */
export const cardUrl = REMOTE_CARD_URL || `http://127.0.0.1:${ALMANAC_PORT}/.well-known/agent-card.json`;

/** Where the almanac listens, and how long it takes for a line, in milliseconds. */
export const almanac = { port: Number(ALMANAC_PORT), lineMs: Number(ALMANAC_LINE_MS) };
