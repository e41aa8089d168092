// Part of the composition root: the background job of both logs, which signs the end of the audit log and exports the signed heads.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from '../base/settings/config.ts';
import { findDeployment } from '../cluster/store/deployment.ts';
import type { Store } from '../cluster/store/store.ts';
import { createAuditSigner } from '../logs/audit/sign-audit-head.ts';
import {
  type Anchors,
  createAnchors,
  createFolderAnchor,
  createUrlAnchor,
} from '../logs/evidence/anchors.ts';
import { writeHeads } from '../logs/evidence/verify.ts';

interface AnchorParts {
  readonly store: Store;
  readonly config: Pick<Config, 'anchors' | 'chainKeys'>;
  readonly logger: Logger;
}

const minute = 60_000;
/** How long `close` waits until the last heads are kept; the next start sends them too. */
const closeMilliseconds = 3000;

export async function composeAnchors({ store, config, logger }: AnchorParts) {
  const { anchorFolder, anchorUrl, anchorMinutes } = config.anchors;
  const keys = config.chainKeys;
  const stopping = new AbortController();
  const onFailure = (err: unknown, what: string) => logger.error({ err }, what);
  const signAudit = createAuditSigner(store, { keys, deployment: await findDeployment(store) });
  const sign = () =>
    signAudit().catch((cause: unknown) => onFailure(cause, 'the end of the audit log was not signed'));
  const anchors: Anchors = createAnchors({
    targets: {
      ...(anchorFolder === '' ? {} : { folder: createFolderAnchor(anchorFolder) }),
      ...(anchorUrl === '' ? {} : { url: createUrlAnchor(anchorUrl, stopping.signal) }),
    },
    write: (now) => writeHeads(store, keys, now),
    onFailure,
    now: Date.now,
  });
  const isKeptElsewhere = anchorFolder !== '' || anchorUrl !== '';

  let minutes = 0;
  async function goRound(): Promise<void> {
    await sign();
    if (isKeptElsewhere && minutes % anchorMinutes === 0) await anchors.send();
    minutes += 1;
  }
  let going: Promise<void> | undefined;
  function startRound(): void {
    going ??= goRound().finally(() => {
      going = undefined;
    });
  }
  startRound();
  const rounds = setInterval(startRound, minute);

  async function goLastRound(): Promise<void> {
    await going;
    await (isKeptElsewhere ? anchors.send() : sign());
  }

  return {
    ...anchors,
    /** Call it when the login log has written its last heads. */
    async close() {
      clearInterval(rounds);
      const ended = new AbortController();
      const late = sleep(closeMilliseconds, undefined, { signal: ended.signal }).catch(() => {});
      await Promise.race([goLastRound(), late]);
      ended.abort();
      stopping.abort();
    },
  };
}
