const { ASSESSMENT_MS = '1500' } = process.env;

/** How long an assessment takes, in milliseconds. */
export const assessmentMs = Number(ASSESSMENT_MS);
