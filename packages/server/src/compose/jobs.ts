// Part of the composition root: every background job of an instance. Each instance runs all of them: a statement that deletes
// expired rows skips the rows that another instance deletes, and shared work is claimed (decision 0043).
import type { Logger } from 'pino';
import { type Job, type Jobs, startJobs, type Wait } from '../base/jobs/jobs.ts';
import type { Config } from '../base/settings/config.ts';
import type { AccessWriter } from '../cluster/access-writer.ts';
import { sweepRevisions } from '../cluster/revision-store.ts';
import type { Store } from '../cluster/store/store.ts';
import type { StandbyWatch } from '../cluster/store/watch-standbys.ts';
import type { LoginLog } from '../logs/login-log/login-log.ts';
import type { ErasureWork } from '../people/erasure/erasure-work.ts';
import { sweepMails } from '../people/mail/mail-store.ts';
import { sweepCodes } from '../people/passwords/password-code-store.ts';
import type { DeliveryWorker } from '../people/webhooks/delivery-worker.ts';
import type { ExclusionUses } from '../permissions/exclusions/exclusion-uses.ts';
import { sweepAccessRequests } from '../permissions/requests/access-request-store.ts';
import { hasEndedRules, removeEndedRules } from '../permissions/rules/temporary-rule-store.ts';
import { sweepUnconfirmed } from '../sign-in/mfa/credential-store.ts';
import { sweepEnrolments } from '../sign-in/mfa/recovery/code-store.ts';
import type { Recheck } from '../sign-in/providers/ldap/recheck.ts';
import { sweepLinks } from '../sign-in/providers/link-store.ts';
import { sweepAssertions } from '../sign-in/service-accounts/key-store.ts';
import { sweepSessions } from '../sign-in/sessions/session-store.ts';
import type { LoginParts } from './login.ts';
import { isMailSent, type MailParts } from './mail.ts';

interface JobParts {
  readonly logger: Pick<Logger, 'error'>;
  readonly wait: Wait | undefined;
  readonly store: Store;
  readonly config: Config;
  readonly access: AccessWriter;
  readonly login: LoginParts;
  readonly loginLog: LoginLog;
  readonly anchors: { signAndExport(): Promise<void> };
  readonly recheck: Pick<Recheck, 'sweep'>;
  readonly erasure: ErasureWork;
  readonly exclusionUses: ExclusionUses;
  readonly mail: MailParts;
  readonly events: DeliveryWorker;
  readonly standbys: StandbyWatch;
}

const second = 1000;
const minute = 60_000;

function listJobs({ store, config, access, login, mail, ...parts }: JobParts): readonly Job[] {
  const sendMails = { run: mail.sendNext, interrupt: mail.interrupt };
  return [
    { name: 'sweep captchas', every: minute, run: login.sweepCaptchas },
    { name: 'sweep login flows', every: minute, run: login.sweepFlows },
    { name: 'sweep login attempts', every: minute, run: login.sweepThrottle },
    { name: 'refresh login memory', every: minute, run: login.refresh },
    { name: 'sweep sessions', every: minute, run: () => sweepSessions(store) },
    { name: 'sweep revisions', every: minute, run: () => sweepRevisions(store) },
    { name: 'sweep access requests', every: minute, run: () => sweepAccessRequests(store) },
    { name: 'sweep unconfirmed factors', every: minute, run: () => sweepUnconfirmed(store) },
    { name: 'sweep enrolment codes', every: minute, run: () => sweepEnrolments(store) },
    { name: 'sweep links', every: minute, run: () => sweepLinks(store) },
    { name: 'sweep assertions', every: minute, run: () => sweepAssertions(store) },
    { name: 'sweep password codes', every: minute, run: () => sweepCodes(store) },
    { name: 'sweep mails', every: minute, run: () => sweepMails(store, isMailSent(config)) },
    { name: 'sweep temporary rules', every: minute, run: () => sweepTemporaryRules(store, access) },
    { name: 'count queued mails', every: minute, run: mail.refresh },
    { name: 'finish erasures', every: minute, run: parts.erasure.finishOpen },
    { name: 'store exclusion uses', every: minute, run: parts.exclusionUses.flush },
    { name: 'recheck directories', every: minute, run: parts.recheck.sweep },
    { name: 'check standbys', every: minute, run: parts.standbys.check },
    { name: 'export log heads', every: minute, atStart: true, run: parts.anchors.signAndExport },
    { name: 'maintain login log', every: minute, atStart: true, run: parts.loginLog.maintain },
    ...(isMailSent(config)
      ? [{ name: 'send mails', every: second, atStart: true, jitter: true, ...sendMails }]
      : []),
    { name: 'deliver webhooks', every: second, atStart: true, run: parts.events.poll },
  ];
}

export function startBackgroundJobs(parts: JobParts): Jobs {
  const monotonic = () => performance.now();
  return startJobs(listJobs(parts), { ...parts, now: Date.now, monotonic, random: Math.random });
}

async function sweepTemporaryRules(store: Store, access: AccessWriter): Promise<void> {
  if (await hasEndedRules(store)) await access.takeAway({ confirmedAt: 'unchecked' }, removeEndedRules);
}
