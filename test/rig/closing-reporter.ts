// Ends a run of vitest with the closing line of every suite.
import type { Reporter, TestModule } from 'vitest/node';
import { closeSuite, collectNotes } from './notes.ts';

export class ClosingReporter implements Reporter {
  onInit(): void {
    collectNotes();
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const statesOf = (module: TestModule) =>
      [...module.children.allTests()].map((test) => test.result().state);
    const count = (state: string) => modules.flatMap(statesOf).filter((one) => one === state).length;
    // One that does not load, or whose preparation fails: no test of it has failed.
    const broken = modules.filter((one) => one.state() === 'failed' && !statesOf(one).includes('failed'));
    closeSuite({
      passed: count('passed'),
      failed: count('failed') + broken.length + errors.length,
      skipped: count('skipped'),
    });
  }
}
