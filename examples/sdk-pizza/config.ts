const { SDK_PIZZA_PORT = '41242' } = process.env;

/** Port of the SDK's server. */
export const port = Number(SDK_PIZZA_PORT);
