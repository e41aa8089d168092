// The present, as texts like `3 min ago` need it: one clock for all of them, which rests where nobody looks at it.
import { onScopeDispose, type Ref, readonly, ref } from 'vue';

const tickMilliseconds = 10_000;
const now = ref(Date.now());
let users = 0;
let timer: ReturnType<typeof setInterval> | undefined;

const tick = () => {
  now.value = Date.now();
};

export function useNow(): Readonly<Ref<number>> {
  users += 1;
  if (timer === undefined) {
    tick();
    timer = setInterval(tick, tickMilliseconds);
    // A page in the background is not woken up.
    document.addEventListener('visibilitychange', tick);
  }
  onScopeDispose(() => {
    users -= 1;
    if (users > 0) return;
    clearInterval(timer);
    timer = undefined;
    document.removeEventListener('visibilitychange', tick);
  });
  return readonly(now);
}
