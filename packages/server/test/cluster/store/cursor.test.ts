import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { createCursor } from '../../../src/cluster/store/cursor.ts';
import { createPage } from '../../../src/cluster/store/page.ts';

const cursor = createCursor(Type.Object({ id: Type.Integer({ minimum: 1 }), name: Type.String() }));
const encoded = (text: string) => Buffer.from(text).toString('base64url');

describe('a cursor', () => {
  it.each([
    ['nothing', ''],
    ['no JSON', encoded('{')],
    ['another shape', encoded('[1,"a"]')],
    ['a field of the wrong type', encoded('{"id":"1","name":"a"}')],
    ['a field out of bounds', encoded('{"id":0,"name":"a"}')],
    ['null', encoded('null')],
  ])('that holds %s is refused', (_what, text) => {
    expect(() => cursor.read(text)).toThrow(expect.objectContaining({ kind: 'params_invalid' }));
  });

  it('that is missing is the beginning of the list', () => {
    expect(cursor.read(undefined)).toBeUndefined();
  });

  it('comes back as it was written, through a query parameter', () => {
    const place = { id: 7, name: 'ä/?&=\u{1f600}' };
    const text = cursor.write(place);
    expect(text).toMatch(/^[A-Za-z0-9_-]+$/);
    expect(cursor.read(text)).toEqual(place);
  });
});

describe('a page', () => {
  const shape = { itemOf: (id: number) => `#${id}`, positionOf: (id: number) => ({ id, name: '' }), cursor };

  it('has no next one where no row is left over', () => {
    expect(createPage([], 2, shape)).toEqual({ items: [], next: null });
    expect(createPage([1, 2], 2, shape)).toEqual({ items: ['#1', '#2'], next: null });
  });

  it('goes on behind its last item', () => {
    expect(createPage([1, 2, 3], 2, shape)).toEqual({
      items: ['#1', '#2'],
      next: cursor.write({ id: 2, name: '' }),
    });
  });
});
