// The form of replies (envelope). `reply` adds the common fields to a success of an endpoint; an error is always ErrorReply.
import { type TProperties, type TSchema, Type } from 'typebox';
import { FactorDetails } from './factor.ts';
import { ChangedDetails } from './revision.ts';

const code = Type.Literal(200);
const requestId = Type.String({ description: 'Quote it when you report a problem.' });

/** A success with fields at the top level of the body, as login and captcha have them. */
export function reply<P extends TProperties>(properties: P) {
  return Type.Object({ code, ...properties, requestId });
}

/** A success with its content under `data`: what most endpoints answer. */
export function dataReply<S extends TSchema>(data: S) {
  return reply({ msg: Type.String(), data });
}

export const ErrorReply = Type.Object({
  code: Type.Integer(),
  msg: Type.String(),
  details: Type.Optional(Type.Union([ChangedDetails, FactorDetails])),
});
