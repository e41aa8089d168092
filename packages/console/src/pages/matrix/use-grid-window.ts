// The visible part of the grid: measures it, determines the rendered rows and columns, and scrolls it.
import { computed, onMounted, onUnmounted, type Ref, shallowRef } from 'vue';
import { findRange, listPlaces } from './find-range.ts';
import { listColumns, measureGrid, rowHeight } from './grid-columns.ts';
import type { MatrixRole } from './load-matrix.ts';
import type { Row } from './matrix-rows.ts';
import type { Place } from './move-focus.ts';
import { useDrawnRows } from './use-drawn-rows.ts';

interface GridWindowOptions {
  readonly box: Readonly<Ref<HTMLElement | null>>;
  readonly rows: () => readonly Row[];
  readonly roles: () => readonly MatrixRole[];
  /** Always rendered, because an element that is not rendered cannot have the focus. */
  readonly focus: Readonly<Ref<Place>>;
}

export function useGridWindow({ box, rows, roles, focus }: GridWindowOptions) {
  const sight = shallowRef({ top: 0, left: 0, width: 0, height: 0 });
  const gridWidth = computed(() => sight.value.width);
  const measures = computed(() => measureGrid(gridWidth.value, roles().length));

  // Numbers and not objects, because a new object with equal values would render everything again.
  const rowRange = computed(() =>
    findRange({
      count: rows().length,
      offsetOf: (place) => place * rowHeight,
      from: sight.value.top,
      to: sight.value.top + sight.value.height - measures.value.headHeight,
      spare: 4,
    }),
  );
  const columnRange = computed(() =>
    findRange({
      count: roles().length,
      offsetOf: (place) => place * measures.value.columnWidth,
      from: sight.value.left,
      to: sight.value.left + sight.value.width - measures.value.endpointWidth,
      spare: 2,
    }),
  );
  const firstRow = computed(() => rowRange.value.first);
  const endRow = computed(() => rowRange.value.end);
  const firstColumn = computed(() => columnRange.value.first);
  const endColumn = computed(() => columnRange.value.end);
  // Set if the focused column is outside the visible part.
  const pinnedColumn = computed(() => {
    const place = focus.value.column - 1;
    return place >= firstColumn.value && place < endColumn.value ? -1 : place;
  });

  const columns = computed(() =>
    listColumns(
      listPlaces({ first: firstColumn.value, end: endColumn.value }, pinnedColumn.value, roles().length),
      roles(),
      measures.value.columnWidth,
    ),
  );
  const drawnRows = useDrawnRows(() => ({
    places: listPlaces({ first: firstRow.value, end: endRow.value }, focus.value.row - 1, rows().length),
    columns: columns.value,
    pinned: focus.value.row - 1,
  }));
  const shownRows = computed(() =>
    drawnRows.value.flatMap(({ place, slot, columns: drawnColumns }) => {
      const row = rows()[place];
      return row === undefined
        ? []
        : [{ place, row, columns: drawnColumns, id: `matrix-${row.kind}-${slot}` }];
    }),
  );

  function look(): void {
    if (box.value === null) return;
    const { scrollTop: top, scrollLeft: left, clientWidth: width, clientHeight: height } = box.value;
    sight.value = { top, left, width, height };
  }
  const observer = new ResizeObserver(look);
  onMounted(() => {
    look();
    if (box.value !== null) observer.observe(box.value);
  });
  onUnmounted(() => observer.disconnect());

  /** Scrolls as little as necessary to show the cell. */
  function reveal({ row, column }: Place): void {
    if (box.value === null) return;
    const { scrollTop, scrollLeft, clientWidth, clientHeight } = box.value;
    const { columnWidth, endpointWidth, headHeight } = measures.value;
    if (row > 0)
      box.value.scrollTop = nearest(scrollTop, (row - 1) * rowHeight, rowHeight, clientHeight - headHeight);
    if (column > 0)
      box.value.scrollLeft = nearest(
        scrollLeft,
        (column - 1) * columnWidth,
        columnWidth,
        clientWidth - endpointWidth,
      );
    look();
  }

  return {
    measures,
    columns,
    shownRows,
    look,
    reveal,
    pageRows: () => Math.max(1, Math.floor((sight.value.height - measures.value.headHeight) / rowHeight) - 1),
  };
}

/** The scroll position closest to the current one that shows the whole item. */
function nearest(scrolled: number, begin: number, length: number, seen: number): number {
  return Math.max(Math.min(scrolled, begin), begin + length - seen);
}
