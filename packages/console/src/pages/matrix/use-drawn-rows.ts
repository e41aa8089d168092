// Draws a frame after the other until all that is wanted is drawn.
import { onUnmounted, shallowRef, watch } from 'vue';
import { type DrawnRow, isAllDrawn, nextDrawn, type Wanted } from './next-drawn.ts';

/** Half of what a frame of 50 ms can bear on a slow machine. */
const cellsPerFrame = 120;

export function useDrawnRows(wanted: () => Wanted) {
  const drawn = shallowRef<readonly DrawnRow[]>([]);
  let frame = 0;
  let drawnIn: typeof document.timeline.currentTime = null;

  function advance(): void {
    cancelAnimationFrame(frame);
    // A frame tells of the scrolling first, and then runs what was asked for it: only one of them draws more.
    const now = document.timeline.currentTime;
    drawn.value = nextDrawn(drawn.value, wanted(), now === drawnIn ? 0 : cellsPerFrame);
    drawnIn = now;
    if (!isAllDrawn(drawn.value, wanted())) frame = requestAnimationFrame(advance);
  }
  watch(wanted, advance, { immediate: true });
  onUnmounted(() => cancelAnimationFrame(frame));
  return drawn;
}
