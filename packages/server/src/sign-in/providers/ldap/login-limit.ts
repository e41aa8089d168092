/** How long a directory may take to say whose a password is. */
export const directoryLoginMilliseconds = 3000;
