// Explains an access decision: it repeats the steps of the checks in the same order, with the rules in force, and returns the
// step that decides and the reason. It is for people, and permits nothing.
import { type Endpoint, type Explained, type ExplainStep, routeName } from '@portcullis/contract';
import { isCanonicalTarget } from '@portcullis/gate';
import { explain, type Snapshot } from '@portcullis/policy';
import { findEndpoint } from './find-endpoint.ts';
import type { Subject } from './subject-store.ts';

interface Question {
  readonly subject: Subject;
  readonly method: string;
  readonly path: string;
  readonly endpoints: readonly Endpoint[];
  /** As `METHOD /path`. */
  readonly exclusions: readonly string[];
  readonly snapshot: Snapshot;
}

type Verdict = Pick<Explained, 'decision' | 'step' | 'sentence'> &
  Partial<Pick<Explained, 'rule' | 'nearest'>>;

export function explainRequest(question: Question): Explained {
  const { subject, method, path, endpoints, snapshot } = question;
  const endpoint = findEndpoint(endpoints, method, path);
  return {
    rule: null,
    nearest: [],
    ...verdictOf(question, endpoint),
    subject,
    endpoint: endpoint === undefined ? null : namedParts(endpoint),
    revision: snapshot.revision,
  };
}

function verdictOf(question: Question, endpoint: Endpoint | undefined): Verdict {
  const { subject, exclusions } = question;
  const call = `${question.method} ${shorten(question.path)}`;
  const who = subject.username === null ? 'The role' : `The user ${subject.username}`;
  if (!isCanonicalCall(question))
    return deny('not_canonical', `${call} is not canonical, so it is answered with 404 before any check.`);
  if (endpoint?.access === 'public') return allow('public', `${call} is public: a call needs no token.`);
  if (subject.userEnabled === false) return deny('user_disabled', `${who} is disabled.`);
  if (!subject.roleEnabled) return deny('role_disabled', `The role ${subject.roleKey} is disabled.`);
  if (subject.passwordChangeRequired && endpoint?.forDuePassword !== true)
    return deny('password_change_required', `${who} must change the password before anything else.`);
  if (endpoint?.access === 'identity')
    return allow('identity', `${call} is for everybody who is signed in, whatever the role.`);
  const isExcluded = endpoint !== undefined && exclusions.includes(routeName(endpoint));
  if (isExcluded && subject.roleKey !== 'admin')
    return allow('excluded', `${call} is on the exclusion list, so every role may call it.`);
  return verdictOfRules(question);
}

const stepOf = { admin: 'admin', excluded: 'excluded', rule: 'rule', none: 'no_rule' } as const;

function verdictOfRules({ subject: { roleKey }, method, path, snapshot }: Question): Verdict {
  const { step, decision, rule, nearest, sentence } = explain(snapshot, { roleKey, method, path });
  return {
    decision,
    step: stepOf[step],
    sentence,
    rule: rule === undefined ? null : { method: rule.method, path: rule.path },
    nearest: nearest.map((near) => ({
      rule: { method: near.rule.method, path: near.rule.path },
      differs: near.differs.map((difference) => ({ ...difference })),
    })),
  };
}

/** The same check as the listeners, for paths of this service and of services behind a gateway. */
export function isCanonicalCall({ method, path }: Pick<Question, 'method' | 'path'>): boolean {
  return /^[A-Z][A-Z-]{0,31}$/.test(method) && !path.includes('?') && isCanonicalTarget(path);
}

function namedParts({ method, path, title, access }: Endpoint) {
  return { method, path, title, access };
}

const allow = (step: ExplainStep, sentence: string): Verdict => ({ decision: 'allow', step, sentence });
const deny = (step: ExplainStep, sentence: string): Verdict => ({ decision: 'deny', step, sentence });
const shorten = (path: string) => (path.length > 100 ? `${path.slice(0, 100)}...` : path);
