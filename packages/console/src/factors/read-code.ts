// Parses typed codes, ignoring spaces and separators.

/** The six digits of an authenticator app; undefined for other input. */
export function readOtp(typed: string): string | undefined {
  const digits = typed.replace(/[\s-]/g, '');
  return /^\d{6}$/.test(digits) ? digits : undefined;
}

/** A recovery code: 16 letters and digits, with or without groups. */
export function readOneTimeCode(typed: string): string | undefined {
  const letters = typed.replace(/[\s-]/g, '').toUpperCase();
  return /^[A-Z2-7]{16}$/.test(letters) ? letters : undefined;
}
