/** The time limit for a directory to verify a password, groups included. */
export const directoryLoginMilliseconds = 3000;
