/** The timeout of every call. A revocation waits for every instance, which takes seconds. */
export const callLimitSeconds = 30;
