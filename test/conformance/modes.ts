// The modes that rules are held in: the two that the specification names and one that it does not. Only
// `packages/server/src/base/settings/config.ts` reads the mode, and all that it decides by it is the captcha, the keys, lifetime and
// cookie of tokens, the passwords of a first start, migrations at the start, and the host.

/** For rules about logging in and about tokens. */
export const modes = ['prod', 'dev', 'test'] as const;

/** For rules about anything else, which one mode holds for all; `PORTCULLIS_ALL_MODES=1` runs the others too. */
export const anyMode = process.env.PORTCULLIS_ALL_MODES === '1' ? modes : (['prod'] as const);

/** The modes in which login asks for a captcha. */
export const modesWithCaptcha = ['prod', 'test'] as const;
