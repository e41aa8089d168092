// The tasks of a page's thread. Their own time on the processor is taken, out of the browser's trace: other programs on the
// machine stretch every task, and are not the page's.
import type { Browser, Page } from 'playwright-core';

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds, by the clock on the wall. */
  readonly dur?: number;
  /** Microseconds on the processor. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

interface Work {
  /** Of all tasks. */
  readonly milliseconds: number;
  readonly longest: number;
}

export async function watchTasks(browser: Browser, page: Page, run: () => Promise<void>): Promise<Work> {
  await browser.startTracing(page, { categories: ['disabled-by-default-devtools.timeline', 'toplevel'] });
  await run();
  const trace: { traceEvents: readonly TraceEvent[] } = JSON.parse((await browser.stopTracing()).toString());
  const times = listTasks(trace.traceEvents);
  if (times.length === 0) throw new Error('The trace has no task of a page.');
  return {
    milliseconds: times.reduce((sum, time) => sum + time, 0),
    longest: Math.max(...times),
  };
}

function listTasks(events: readonly TraceEvent[]): number[] {
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid}:${tid}`;
  const pages = new Set(
    events
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(threadOf),
  );
  return (
    events
      .filter((event) => event.name === 'RunTask' && pages.has(threadOf(event)))
      // A virtual machine's clock of a thread leaps: 40 ms on the processor within 9 ms were seen.
      .map(({ tdur = 0, dur = tdur }) => Math.min(tdur, dur) / 1000)
  );
}
