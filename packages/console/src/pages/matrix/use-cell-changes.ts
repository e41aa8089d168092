// Translates a click on a cell, a group or a range into draft changes, and determines which
// question must be asked first.
import { type Ref, ref, shallowRef } from 'vue';
import { type Draft, draftRules, type Rule } from './draft.ts';
import { type Cell, countLasting, findWiderCells, setCells, stateOf, type WiderCells } from './set-cells.ts';

/** Rule changes of a role besides the rules of the exact endpoints. */
export interface RulesOfRole {
  readonly roleId: number;
  readonly add: readonly Rule[];
  readonly remove: readonly Rule[];
}

export interface AskedCells {
  readonly cells: readonly Cell[];
  readonly wider: readonly WiderCells[];
  /** The number of cells with an own rule, which is removed in any case. */
  readonly own: number;
}

interface CellChangesOptions {
  readonly draft: Readonly<Ref<Draft>>;
  /** The draft as the cells show it. */
  readonly shown: Readonly<Ref<Draft>>;
  readonly change: (next: Draft) => void;
  readonly mayEdit: () => boolean;
}

export function useCellChanges({ draft, shown, change, mayEdit }: CellChangesOptions) {
  const asked = shallowRef<AskedCells>();
  const isAsking = ref(false);
  const timed = shallowRef<Cell>();
  const isTimedOpen = ref(false);

  function commit(cells: readonly Cell[], isAllowed: boolean, rules: readonly RulesOfRole[] = []): void {
    const own = setCells(draft.value, shown.value, cells, isAllowed);
    const next = rules.reduce((all, { roleId, ...some }) => draftRules(all, roleId, some), own);
    if (next !== draft.value) change(next);
  }

  /** Denies all cells if all are allowed; otherwise allows all. */
  function set(cells: readonly Cell[], isAllowed = countLasting(cells, shown.value) < cells.length): void {
    if (!mayEdit() || cells.length === 0) return;
    const wider = isAllowed ? [] : findWiderCells(cells, shown.value);
    if (wider.length === 0) {
      commit(cells, isAllowed);
      return;
    }
    const own = cells.filter((cell) => ['rule', 'added'].includes(stateOf(cell, shown.value))).length;
    asked.value = { cells, wider, own };
    isAsking.value = true;
  }

  return {
    asked,
    isAsking,
    timed,
    isTimedOpen,
    set,
    /** A click on one cell: for a temporary permission it asks before making it permanent. */
    press(cells: readonly Cell[]): void {
      const [cell] = cells;
      const isTimed = cell !== undefined && stateOf(cell, shown.value).startsWith('timed');
      if (cells.length > 1 || !isTimed || !mayEdit()) set(cells);
      else {
        timed.value = cell;
        isTimedOpen.value = true;
      }
    },
    settle(rules: readonly RulesOfRole[]): void {
      if (asked.value !== undefined) commit(asked.value.cells, false, rules);
    },
    keepForGood(): void {
      if (timed.value !== undefined) commit([timed.value], true);
    },
  };
}
