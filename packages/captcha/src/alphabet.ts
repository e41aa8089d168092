// Decides which symbols a captcha may hold: 32 of them, 5 bits each. 0, O, 1 and I are left out because
// people mistake them for one another. An answer is compared without regard to case.

export const captchaAlphabet = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';

export const captchaLength = 5;
