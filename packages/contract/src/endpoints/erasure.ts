// Endpoints of a person's data (GDPR): export of all that is stored about a person, and its erasure.
import { type Static, Type } from 'typebox';
import { defineEndpoint, type Endpoint } from '../endpoint.ts';
import { IdParams } from '../id.ts';
import { dataReply } from '../reply.ts';

const count = (description: string) => Type.Integer({ minimum: 0, description });

export const ErasureReceipt = Type.Object(
  {
    erasure: Type.String({
      description: 'A UUID. The record in the audit log has it, and every erased record.',
    }),
    deployment: Type.String({ description: 'A UUID: which database it was.' }),
    userId: Type.Integer({ description: 'The number of the account, which stays.' }),
    reference: Type.String({
      description:
        'Tells the account from another one that has its number after a restored backup; it says nothing of the person.',
    }),
    at: Type.String({ format: 'date-time' }),
    finishedAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description: 'Null while there is more to erase: it continues automatically, and with the same call.',
    }),
    loginRecords: count('Records of the login log that were erased.'),
    auditRecords: count('Records of the audit log that were erased.'),
    otherRows: count('Rows of sessions, factors, access requests and others.'),
    unsealed: count(
      'Of the records, those that had been changed before: they are erased, and `log verify` names them.',
    ),
    auditId: Type.Union([Type.String(), Type.Null()], {
      description: 'The record of the erasure in the audit log; null where it was swept.',
    }),
    auditSeq: Type.Union([Type.Integer(), Type.Null()], { description: 'Its place in the chain.' }),
    signature: Type.String(),
  },
  { description: 'What was erased. It names no person. Keep it where no backup is restored.' },
);
export type ErasureReceipt = Static<typeof ErasureReceipt>;

export const eraseUserEndpoint = defineEndpoint({
  method: 'POST',
  path: '/api/v1/users/:id/erase',
  access: 'permission',
  takesAway: true,
  title: 'Erase a person: end all sessions, and make unreadable what names the person anywhere',
  params: IdParams,
  reply: dataReply(ErasureReceipt),
});

export const exportUserEndpoint = defineEndpoint({
  method: 'GET',
  path: '/api/v1/users/:id/export',
  access: 'permission',
  title: 'Download all that is stored about a person, as JSON',
  params: IdParams,
  // A refusal is JSON too, with HTTP 200: a caller tells the two apart by the type.
  stream: 'application/vnd.portcullis.person+json; charset=utf-8',
});

export const erasureEndpoints: readonly Endpoint[] = [eraseUserEndpoint, exportUserEndpoint];
