// The current time for texts like `3 min ago`: one shared timer, which runs only while a component uses it.
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
    // Browsers throttle the timers of a hidden page, so the time is updated when the page is shown again.
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
