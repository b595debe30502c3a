/** The page of operators. */
export {};
