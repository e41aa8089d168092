import { describe, expect, test } from 'vitest';
import { listChanged, mergeEdit } from '../../src/calls/merge-edit.ts';

const loaded = { name: 'Seller', dataScope: '1', departmentIds: [1], enabled: true };
const form = { name: 'Seller', dataScope: '1', departmentIds: [1] };

describe('what a form sends', () => {
  test('is nothing where nothing was changed', () => {
    expect(listChanged(loaded, form)).toEqual({});
  });

  test('is what was changed, also inside a list, and nothing else', () => {
    expect(listChanged(loaded, { ...form, name: 'Sales' })).toEqual({ name: 'Sales' });
    expect(listChanged(loaded, { ...form, departmentIds: [1, 2] })).toEqual({ departmentIds: [1, 2] });
  });
});

describe('another caller changed the record first', () => {
  test('takes fields that the form does not change from the server, and does not send them', () => {
    const mine = { ...form, name: 'Sales' };
    const merged = mergeEdit(loaded, mine, {
      name: 'Seller',
      dataScope: '5',
      departmentIds: [],
      enabled: true,
    });
    expect(merged.form).toEqual({ name: 'Sales', dataScope: '5', departmentIds: [] });
    expect(listChanged(merged.loaded, merged.form)).toEqual({ name: 'Sales' });
    expect(merged.differences).toEqual([
      { field: 'dataScope', before: '1', now: '5', isMine: false },
      { field: 'departmentIds', before: [1], now: [], isMine: false },
    ]);
  });

  test('keeps the typed value of a field that both changed, and reports the stored one', () => {
    const merged = mergeEdit(loaded, { ...form, name: 'Sales' }, { name: 'Trade' });
    expect(merged.form.name).toBe('Sales');
    expect(merged.differences).toEqual([{ field: 'name', before: 'Seller', now: 'Trade', isMine: true }]);
  });

  test('does not send a field that both changed to the same value', () => {
    const merged = mergeEdit(loaded, { ...form, name: 'Sales' }, { name: 'Sales' });
    expect(listChanged(merged.loaded, merged.form)).toEqual({});
  });

  test('reports a changed field that the form does not contain', () => {
    const { differences, form: kept } = mergeEdit(loaded, form, { enabled: false });
    expect(differences).toEqual([{ field: 'enabled', before: true, now: false, isMine: false }]);
    expect(kept).toEqual(form);
  });
});
