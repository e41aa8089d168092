// The accessible label of a cell: its role, endpoint and state, and the end of a temporary permission.
import { formatMoment } from '../../language/format-moment.ts';
import { language, useTexts } from '../../language/language.ts';
import type { CellState } from './cell-state.ts';
import type { Cell } from './set-cells.ts';
import { texts } from './texts.ts';

export function useCellText() {
  const t = useTexts(texts);
  const stateText = ({ role, row }: Cell, state: CellState): string => {
    const text = t.value.states[state];
    const timed = role.timed?.get(row.place);
    if (timed === undefined || !state.startsWith('timed')) return text;
    return t.value.until(text, formatMoment(timed.endsAt, language.value));
  };
  return {
    stateText,
    cellText: (cell: Cell, state: CellState): string =>
      t.value.cell(cell.role.roleKey, cell.row.rule, stateText(cell, state)),
  };
}
