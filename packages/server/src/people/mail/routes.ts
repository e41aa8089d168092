// HTTP routes of the mail queue, for administrators: list and retry.
import {
  defaultPageLimit,
  listMailsEndpoint,
  type Route,
  retryMailEndpoint,
  route,
} from '@portcullis/contract';
import type { AccessWriter } from '../../cluster/access-writer.ts';
import { answerWrite } from '../../cluster/answer-write.ts';
import type { Store } from '../../cluster/store/store.ts';
import type { RecordChange } from '../../logs/audit/record-change.ts';
import { type ListDepartments, resolveUserScope } from '../users/user-scope.ts';
import { listMails, retryMail } from './mail-store.ts';

interface MailRoutesOptions {
  readonly store: Store;
  readonly access: AccessWriter;
  readonly recordChange: RecordChange;
  readonly listDepartments: ListDepartments;
}

export function mailRoutes({ store, access, recordChange, listDepartments }: MailRoutesOptions): Route[] {
  return [
    route(listMailsEndpoint, async ({ caller, query }) => {
      const scope = await resolveUserScope(caller, listDepartments);
      return { data: await listMails(store, scope, { limit: defaultPageLimit, ...query }) };
    }),
    route(retryMailEndpoint, async (call) => {
      const scope = await resolveUserScope(call.caller, listDepartments);
      const retried = access.give(call, async (transaction) => {
        const { state } = await retryMail(transaction, scope, call.params.id);
        await recordChange(transaction, call, {
          action: 'mail.retry',
          target: `mail ${call.params.id}`,
          before: { state },
          after: { state: 'queued' },
        });
        return [];
      });
      return await answerWrite(call, retried);
    }),
  ];
}
