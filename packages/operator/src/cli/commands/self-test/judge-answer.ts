// Classifies a gateway's answer to a request that it must refuse: whether it is a refusal, and how to fix
// the gateway if it is not.
import type { Probe } from './gateway-probes.ts';

export interface Answer {
  /** 0 if the gateway closed the connection without an answer. */
  readonly status: number;
  readonly reason: string | undefined;
  readonly requestId: string | undefined;
  readonly text: string;
  /** Whether the answer came before the body of the request was sent. */
  readonly isEarly: boolean;
}

/** `strange`: nothing in the answer shows that Portcullis made the decision. */
export const outcomes = ['refused', 'inexact', 'strange', 'open'] as const;
export interface Verdict {
  readonly outcome: (typeof outcomes)[number];
  /** A description of the answer. */
  readonly seen: string;
  readonly remedy?: string;
}

export function judgeAnswer({ expected }: Probe, answer: Answer): Verdict {
  const seen = describe(answer);
  const code = codeOf(answer.text);
  const verdict = (outcome: Verdict['outcome'], remedy?: string): Verdict => ({
    ...{ outcome, seen },
    ...(remedy === undefined ? {} : { remedy }),
  });
  const { status, reason, requestId } = answer;
  if (isExact(expected, answer, code))
    return answer.isEarly ? verdict('inexact', remedies.early) : verdict('refused');
  if (expected === 'not_found' && (status === 0 || status === 400)) return verdict('refused');
  if (status === 101 || (status >= 200 && status < 300 && code !== 401))
    return verdict('open', remedies.open);
  if (reason === undefined && (requestId === undefined || code === undefined))
    return verdict('strange', remedies.strange);
  if (status === 503) return verdict('inexact', remedies.undecided);
  if (reason !== undefined && status !== 200) return verdict('inexact', remedies.native);
  if (expected === 'not_found') return verdict('inexact', remedies.normalised);
  return verdict('inexact', remedies.altered);
}

const remedies = {
  open: 'The request got through. Let the gateway ask /forward-auth (not the public listener, whose refusals are HTTP 200) for every request, as deploy/gateways shows.',
  early:
    'It is refused before its body has come, so the gateway decides on half a request: a caller who was thrown out meanwhile could still send the other half. Let it receive the whole request first, as deploy/gateways shows.',
  strange:
    'Nothing shows that Portcullis answered: the request may have reached the service. Check that the gateway asks for this path, and that it passes on X-Auth-Reason and X-Request-Id. Then ask for a path that the service answers (--path).',
  undecided:
    'Portcullis could not decide, or the gateway asks wrongly. Check X-Portcullis-Secret, X-Forwarded-Method and X-Forwarded-Uri; the log of Portcullis says which it is.',
  native:
    'It is refused, but front ends expect HTTP 200. Answer with the status of X-Portcullis-Status and the body of X-Portcullis-Body.',
  normalised:
    'It is refused for its token alone: the gateway asks about another target than its client sent. Put the raw request target into X-Forwarded-Uri.',
  altered:
    'It is refused, but not as Portcullis refuses it. Pass on X-Auth-Reason, and the body of X-Portcullis-Body as it is.',
} as const;

function isExact(expected: Probe['expected'], answer: Answer, code: number | undefined): boolean {
  const { status, reason, requestId } = answer;
  if (expected === 'not_found') return status === 404 && code === 404 && requestId !== undefined;
  return status === 200 && code === 401 && reason === expected;
}

/** The code of a body that is exactly `{ code, msg }`. */
function codeOf(text: string): number | undefined {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body !== 'object' || body === null) return undefined;
    const { code, msg, ...others } = body as Record<string, unknown>;
    const isExact = typeof code === 'number' && typeof msg === 'string' && Object.keys(others).length === 0;
    return isExact ? code : undefined;
  } catch {
    return undefined;
  }
}

export const noAnswer = 'no answer';

function describe({ status, reason, text }: Answer): string {
  if (status === 0) return noAnswer;
  const code = codeOf(text);
  const body = code === undefined ? 'another body' : `code ${code}`;
  return [`HTTP ${status}`, text === '' ? 'no body' : body, reason].filter(Boolean).join(', ');
}
