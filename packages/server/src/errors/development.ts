/** The errors of a development stack: a part of the catalogue in errors.ts, and not of the merchants' API. */
export const developmentErrors = {
  PROMPT_MISSING: {
    errorCode: 'PROMPT_NOT_FOUND',
    status: 404,
    message: 'The phone has no such prompt.',
    cause: 'The prompt was answered, has timed out, or belongs to another phone.',
    fix: 'Start another charge for this phone.',
  },
} as const
