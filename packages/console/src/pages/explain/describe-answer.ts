// The explanation in words: for the page, and as plain text for a ticket or a chat.
import type { Difference } from './align-segments.ts';
import type { Call, Explained, Step } from './question.ts';

/** The texts of one language that an explanation needs; the texts of the page contain them. */
export interface AnswerTexts {
  readonly allowed: string;
  readonly denied: string;
  readonly nothing: string;
  readonly rule: string;
  readonly nearest: string;
  readonly mayCall: (who: string) => string;
  readonly mayNotCall: (who: string) => string;
  readonly roleNamed: (key: string) => string;
  readonly userNamed: (name: string, key: string) => string;
  readonly steps: Readonly<Record<Step, (roleKey: string) => string>>;
  readonly differs: {
    readonly method: (expected: string, actual: string) => string;
    readonly segment: (place: number, expected: string, actual: string) => string;
    readonly missing: (place: number, expected: string) => string;
    readonly extra: (place: number, actual: string) => string;
  };
  readonly revision: (revision: number) => string;
}

export function describeSubject(t: AnswerTexts, { username, roleKey }: Explained['subject']): string {
  return username === null ? t.roleNamed(roleKey) : t.userNamed(username, roleKey);
}

export function describeVerdict(t: AnswerTexts, { decision, subject }: Explained): string {
  const who = describeSubject(t, subject);
  return decision === 'allow' ? t.mayCall(who) : t.mayNotCall(who);
}

export function describeDifference(t: AnswerTexts, difference: Difference): string {
  const { kind, place = 0, expected = '', actual = '' } = difference;
  switch (kind) {
    case 'method':
      return t.differs.method(expected, actual);
    case 'segment':
      return t.differs.segment(place, expected, actual === '' ? t.nothing : actual);
    case 'missing':
      return t.differs.missing(place, expected);
    case 'extra':
      return t.differs.extra(place, actual === '' ? t.nothing : actual);
  }
}

export function writeAnswer(t: AnswerTexts, asked: Call, answer: Explained): string {
  const { decision, step, subject, rule, nearest, revision } = answer;
  return [
    `${decision === 'allow' ? t.allowed : t.denied}: ${describeVerdict(t, answer)} ${asked.method} ${asked.path}`,
    t.steps[step](subject.roleKey),
    ...(rule === null ? [] : [`${t.rule}: ${rule.method} ${rule.path}`]),
    ...(nearest.length === 0 ? [] : [`${t.nearest}:`]),
    ...nearest.flatMap((near) => [
      `- ${near.rule.method} ${near.rule.path}`,
      ...near.differs.map((difference) => `  ${describeDifference(t, difference)}`),
    ]),
    t.revision(revision),
  ].join('\n');
}
