// The subset of typebox's types that the types of endpoints need. The published client and guard contain this file
// instead, so that their users do not install typebox. The names and markers equal those of typebox, so an endpoint
// that is declared with typebox fits too.

// biome-ignore lint/suspicious/noEmptyInterface: As typebox has it.
export interface TSchema {}

export interface TString extends TSchema {
  '~kind': 'String';
}
export interface TInteger extends TSchema {
  '~kind': 'Integer';
}
export interface TNumber extends TSchema {
  '~kind': 'Number';
}
export interface TBoolean extends TSchema {
  '~kind': 'Boolean';
}
export interface TNull extends TSchema {
  '~kind': 'Null';
}
export interface TUnknown extends TSchema {
  '~kind': 'Unknown';
}
export interface TLiteral<Value = unknown> extends TSchema {
  '~kind': 'Literal';
  const: Value;
}
export interface TEnum<Values extends readonly unknown[] = readonly unknown[]> extends TSchema {
  '~kind': 'Enum';
  enum: Values;
}
export interface TArray<Item extends TSchema = TSchema> extends TSchema {
  '~kind': 'Array';
  items: Item;
}
export interface TUnion<Types extends readonly TSchema[] = readonly TSchema[]> extends TSchema {
  '~kind': 'Union';
  anyOf: Types;
}
export interface TRecord<Key extends string = string, Value extends TSchema = TSchema> extends TSchema {
  '~kind': 'Record';
  patternProperties: { [_ in Key]: Value };
}
export type TProperties = Record<PropertyKey, TSchema>;
export interface TObject<Properties extends TProperties = TProperties> extends TSchema {
  '~kind': 'Object';
  properties: Properties;
}
export type TOptional<Type extends TSchema = TSchema> = Type & { '~optional': true };

type OptionalKey<P> = { [K in keyof P]: P[K] extends { '~optional': true } ? K : never }[keyof P];
type Flat<T> = { [K in keyof T]: T[K] } & {};

/** The type of the values that a schema describes; `unknown` for a kind that none of our endpoints uses. */
export type Static<S> = S extends TString
  ? string
  : S extends TInteger | TNumber
    ? number
    : S extends TBoolean
      ? boolean
      : S extends TNull
        ? null
        : S extends TLiteral<infer Value>
          ? Value
          : S extends TEnum<infer Values>
            ? Values[number]
            : S extends TArray<infer Item>
              ? Static<Item>[]
              : S extends TUnion<infer Types>
                ? { [K in keyof Types]: Static<Types[K]> }[number]
                : S extends TRecord<string, infer Value>
                  ? Record<string, Static<Value>>
                  : S extends TObject<infer P>
                    ? keyof P extends never
                      ? object
                      : Flat<
                          { [K in Exclude<keyof P, OptionalKey<P>>]: Static<P[K]> } & {
                            [K in OptionalKey<P>]?: Static<P[K]>;
                          }
                        >
                    : unknown;
