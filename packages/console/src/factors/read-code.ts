// What was typed as a code, without what people put between its characters.

/** Six digits of an authenticator app; undefined for anything else. */
export function readOtp(typed: string): string | undefined {
  const digits = typed.replace(/[\s-]/g, '');
  return /^\d{6}$/.test(digits) ? digits : undefined;
}

/** A code that was written down: 16 letters and digits, in groups or not. */
export function readOneTimeCode(typed: string): string | undefined {
  const letters = typed.replace(/[\s-]/g, '').toUpperCase();
  return /^[A-Z2-7]{16}$/.test(letters) ? letters : undefined;
}
