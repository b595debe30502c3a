const { SDK_PIZZA_PORT = '41242' } = process.env;

/** Where the SDK's own server listens. */
export const port = Number(SDK_PIZZA_PORT);
