// Part of the composition root: signs the end of the audit log, and exports the signed heads of both logs.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { ResolveHost } from '../base/outbound/host-resolver.ts';
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
  readonly resolve: ResolveHost;
}

/** How long `close` waits until the last heads are kept; the next start sends them too. */
const closeMilliseconds = 3000;

export type ComposedAnchors = Awaited<ReturnType<typeof composeAnchors>>;

export async function composeAnchors({ store, config, logger, resolve }: AnchorParts) {
  const { anchorFolder, anchorUrl, anchorIntervalMinutes } = config.anchors;
  const keys = config.chainKeys;
  const stopping = new AbortController();
  const onFailure = (err: unknown, what: string) => logger.error({ err }, what);
  const signAudit = createAuditSigner(store, { keys, deployment: await findDeployment(store) });
  const anchors: Anchors = createAnchors({
    targets: {
      ...(anchorFolder === '' ? {} : { folder: createFolderAnchor(anchorFolder) }),
      ...(anchorUrl === '' ? {} : { url: createUrlAnchor(anchorUrl, resolve, stopping.signal) }),
    },
    write: (now) => writeHeads(store, keys, now),
    onFailure,
    now: Date.now,
  });
  const isKeptElsewhere = anchorFolder !== '' || anchorUrl !== '';

  let minutes = 0;
  async function exportIfDue(): Promise<void> {
    if (isKeptElsewhere && minutes % anchorIntervalMinutes === 0) await anchors.send();
    minutes += 1;
  }

  return {
    ...anchors,
    /** Call it every minute. */
    signAndExport: () => signAudit().finally(exportIfDue),
    /** Call it when the login log has written its last heads. */
    async close() {
      const ended = new AbortController();
      const late = sleep(closeMilliseconds, undefined, { signal: ended.signal }).catch(() => {});
      const last = isKeptElsewhere ? anchors.send() : signAudit();
      const logged = last.catch((cause: unknown) =>
        onFailure(cause, 'the end of the audit log was not signed'),
      );
      await Promise.race([logged, late]);
      ended.abort();
      stopping.abort();
    },
  };
}
