// The alphabet of captchas: 32 symbols, 5 bits each. 0, O, 1 and I are left out because people confuse them. An answer is
// compared without regard to case.

export const captchaAlphabet = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';

export const captchaLength = 5;
