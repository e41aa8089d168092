// Spreads the drawing of many new rows over several frames, so that a jump to far away does not hold up the page.
import { onUnmounted, shallowRef, watch } from 'vue';
import { nextDrawn } from './next-drawn.ts';

const rowsPerFrame = 8;

/** `pinned` is drawn at once: it has the focus. */
export function useDrawnRows(wanted: () => readonly number[], pinned: () => number) {
  const drawn = shallowRef<readonly number[]>([]);
  let frame = 0;
  let drawnIn: typeof document.timeline.currentTime = null;

  function advance(): void {
    cancelAnimationFrame(frame);
    // A frame tells of the scrolling first, and then runs what was asked for it: only one of them draws more.
    const now = document.timeline.currentTime;
    drawn.value = nextDrawn(drawn.value, wanted(), pinned(), now === drawnIn ? 0 : rowsPerFrame);
    drawnIn = now;
    if (drawn.value.length < wanted().length) frame = requestAnimationFrame(advance);
  }
  watch(wanted, advance, { immediate: true });
  onUnmounted(() => cancelAnimationFrame(frame));
  return drawn;
}
