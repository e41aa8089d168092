// The call types of the published client equal the types of the endpoints, although the client contains no typebox.

import type * as contract from '@portcullis/contract';
import type { Endpoint } from '@portcullis/contract';
import type * as typebox from 'typebox';
import { expectTypeOf, it } from 'vitest';
import type { Static, TObject } from '../src/schema-types.ts';

type Contract = typeof contract;
type Endpoints = { [K in keyof Contract as Contract[K] extends Endpoint ? K : never]: Contract[K] };
type Part = 'params' | 'query' | 'body' | 'reply';
type PartsBy<F extends 'ours' | 'theirs'> = {
  [K in keyof Endpoints]: {
    [P in Part & keyof Endpoints[K]]: Endpoints[K][P] extends infer S extends typebox.TSchema
      ? F extends 'ours'
        ? Static<S>
        : typebox.Static<S>
      : never;
  };
};

it('the type of every part of every endpoint is the one that typebox gives it', () => {
  expectTypeOf<PartsBy<'ours'>>().toEqualTypeOf<PartsBy<'theirs'>>();
  expectTypeOf<PartsBy<'ours'>['loginEndpoint']['reply']>().toHaveProperty('token');
});

it('an object of typebox is one of ours', () => {
  expectTypeOf<typebox.TObject<{ id: typebox.TString }>>().toExtend<TObject>();
});
