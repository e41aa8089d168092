// Changing what others may be changing too: only what changed is sent, and on which revision it was decided.
import { type Static, type TOptional, type TProperties, type TSchema, Type } from 'typebox';

const Revision = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

/** Of a record in a list. */
export const revisionField = Type.Integer({
  ...Revision,
  description: 'Grows with every change; send it back as `ifRevision`.',
});

/** Left out, a change is made whatever happened meanwhile. */
export const ifRevisionField = Type.Optional(
  Type.Integer({
    ...Revision,
    description:
      'The `revision` that this was decided on: the call is refused with 409 where it is another one by now.',
  }),
);

type AllOptional<P extends TProperties> = { [K in keyof P]: TOptional<P[K]> };

/**
 * The body of a change: any of the fields, and at least one of those that `needed` names; all of them unless given.
 * @example body: changed({ name: DisplayName, departmentId: Id })
 */
export function changed<P extends TProperties>(
  fields: P,
  needed: readonly (keyof P & string)[] = Object.keys(fields),
) {
  const optional = Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, Type.Optional(field as TSchema)]),
  ) as AllOptional<P>;
  return Type.Object(
    { ...optional, ifRevision: ifRevisionField },
    { additionalProperties: false, anyOf: needed.map((name) => ({ required: [name] })) },
  );
}

/** What a refusal with `changed_meanwhile` says beside its text. */
export const ChangedDetails = Type.Object({
  revision: revisionField,
  current: Type.Record(Type.String(), Type.Unknown(), {
    description: 'The fields that can be changed, as they are now.',
  }),
});
export type ChangedDetails = Static<typeof ChangedDetails>;
