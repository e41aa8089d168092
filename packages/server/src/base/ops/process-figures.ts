// Process metrics (CPU, memory, event loop), under the names that dashboards for Node and Prometheus expect.
import { readdirSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** Returns a function that reads the figures; each call starts a new measurement of the event loop delay. */
export function createProcessFigures() {
  // The delay is measured with a timer, which never fires earlier than this.
  const resolutionMilliseconds = 20;
  const loop = monitorEventLoopDelay({ resolution: resolutionMilliseconds });
  loop.enable();
  return () => {
    const { user, system } = process.cpuUsage();
    const { rss, heapTotal, heapUsed, external } = process.memoryUsage();
    const lateMilliseconds = Math.max(0, loop.percentile(99) / 1e6 - resolutionMilliseconds);
    loop.reset();
    return {
      process_cpu_seconds_total: (user + system) / 1e6,
      process_start_time_seconds: performance.timeOrigin / 1000,
      process_resident_memory_bytes: rss,
      process_open_fds: countOpenFiles(),
      nodejs_heap_size_total_bytes: heapTotal,
      nodejs_heap_size_used_bytes: heapUsed,
      nodejs_external_memory_bytes: external,
      nodejs_eventloop_lag_p99_seconds: lateMilliseconds / 1000,
    };
  };
}

/** Linux only. */
function countOpenFiles(): number {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return 0;
  }
}
