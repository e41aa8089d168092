// The modes that every rule is held in: the two that the specification names and one that it does not.
export const modes = ['prod', 'dev', 'test'] as const;

/** The modes in which login asks for a captcha. */
export const modesWithCaptcha = ['prod', 'test'] as const;
