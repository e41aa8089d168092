// The endpoints of service account keys, for administrators.
import {
  AppError,
  addUserKeyEndpoint,
  endUserKeyEndpoint,
  listUserKeysEndpoint,
  type Route,
  route,
} from '@portcullis/contract';
import { answerWrite } from '../../cluster/answer-write.ts';
import { createUserChanges, type UserChangesOptions } from '../../people/users/user-changes.ts';
import { addKeyChange, endKeyChange } from './key-changes.ts';
import { findKeyOf, listKeys } from './key-store.ts';
import { algorithmOf } from './public-key.ts';

interface ServiceAccountRoutesOptions extends UserChangesOptions {
  /** Empty if keys are off. */
  readonly audience: string;
}

export function serviceAccountRoutes({ audience, ...options }: ServiceAccountRoutesOptions): Route[] {
  const users = createUserChanges(options);
  return [
    route(listUserKeysEndpoint, async ({ caller, params }) => {
      const { user, isDeleted } = await users.getVisible(caller, params.id);
      if (isDeleted) throw new AppError('record_not_found');
      if (user.kind !== 'service') throw new AppError('account_kind_wrong');
      const items = (await listKeys(options.store, user.id)).map(
        ({ publicKey, createdAt, usedAt, ...key }) => ({
          ...key,
          algorithm: algorithmOf(publicKey),
          createdAt: createdAt.toISOString(),
          usedAt: usedAt?.toISOString() ?? null,
        }),
      );
      return { data: { items, audience: audience || null } };
    }),
    route(addUserKeyEndpoint, async (call) => {
      if (audience === '') throw new AppError('service_account_keys_disabled');
      const { change, added } = addKeyChange(call.body);
      await answerWrite(call, users.change(call, change));
      return { data: added };
    }),
    route(endUserKeyEndpoint, async (call) => {
      const { id, keyId } = call.params;
      const isEnded = (await findKeyOf(options.store, id, keyId))?.isEnded === true;
      return await answerWrite(call, users.change(call, endKeyChange(keyId, { isEnded })));
    }),
  ];
}
