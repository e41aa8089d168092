// Optimistic concurrency: a change sends only the changed fields, and the revision that it was decided on.
import { type Static, type TOptional, type TProperties, type TSchema, Type } from 'typebox';

const Revision = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

/** The revision of a record in a list. */
export const revisionField = Type.Integer({
  ...Revision,
  description: 'Grows with every change. Send it as `ifRevision` with a change.',
});

/** Without it, a change is made regardless of what happened meanwhile. */
export const ifRevisionField = Type.Optional(
  Type.Integer({
    ...Revision,
    description:
      'The `revision` that the change is based on. If the record has another one, the call is refused with 409.',
  }),
);

type AllOptional<P extends TProperties> = { [K in keyof P]: TOptional<P[K]> };

/**
 * The body of a change: any of the fields, and at least one of those that `needed` names (by default all).
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

/** The details of a refusal with `revision_conflict`. */
export const ChangedDetails = Type.Object({
  revision: revisionField,
  current: Type.Record(Type.String(), Type.Unknown(), {
    description: 'The fields that can be changed, as they are now.',
  }),
});
export type ChangedDetails = Static<typeof ChangedDetails>;
