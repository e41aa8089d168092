// Renders frame by frame until all wanted rows are rendered.
import { onUnmounted, shallowRef, watch } from 'vue';
import { type DrawnRow, isAllDrawn, nextDrawn, type Wanted } from './next-drawn.ts';

/** Half of what a slow machine renders in a frame of 50 ms. */
const cellsPerFrame = 120;

export function useDrawnRows(wanted: () => Wanted) {
  const drawn = shallowRef<readonly DrawnRow[]>([]);
  let frame = 0;
  let drawnIn: typeof document.timeline.currentTime = null;

  function advance(): void {
    cancelAnimationFrame(frame);
    // In one frame, the scroll event comes first and then the requested animation callbacks; only
    // one of them renders more.
    const now = document.timeline.currentTime;
    drawn.value = nextDrawn(drawn.value, wanted(), now === drawnIn ? 0 : cellsPerFrame);
    drawnIn = now;
    if (!isAllDrawn(drawn.value, wanted())) frame = requestAnimationFrame(advance);
  }
  watch(wanted, advance, { immediate: true });
  onUnmounted(() => cancelAnimationFrame(frame));
  return drawn;
}
