const { ASSESSMENT_MS = '1500' } = process.env;

/** Duration of an assessment, in milliseconds. */
export const assessmentMs = Number(ASSESSMENT_MS);
