const { ALMANAC_PORT = '41241', REMOTE_CARD_URL, ALMANAC_LINE_MS = '200' } = process.env;

/** URL of the card of the agent behind the queue. */
export const cardUrl = REMOTE_CARD_URL || `http://127.0.0.1:${ALMANAC_PORT}/.well-known/agent-card.json`;

/** Port of the almanac, and its time for a line in milliseconds. */
export const almanac = { port: Number(ALMANAC_PORT), lineMs: Number(ALMANAC_LINE_MS) };
