// The real Prometheus over the real service, and what is shipped to deploy it: `npm run operate`.
import { closeSuite, collectNotes } from '../rig/notes.ts';
import type { Case } from './case.ts';
import { deploymentCases } from './deployment-cases.ts';
import { monitoringCases } from './monitoring-cases.ts';
import { startOperatedService } from './operated-service.ts';
import { startPrometheus } from './prometheus.ts';
import { restoreDrill } from './restore-drill.ts';

collectNotes();

let passed = 0;
let failed = 0;
for (const each of [...deploymentCases, restoreDrill]) await judge(each);
const service = await startOperatedService();
try {
  const prometheus = await startPrometheus(service.opsPort);
  try {
    for (const each of monitoringCases(service, prometheus)) await judge(each);
  } finally {
    await prometheus.stop();
  }
} finally {
  service.line.heal();
  await service.stop();
}
closeSuite({ passed, failed });

async function judge({ title, run }: Case): Promise<void> {
  const startedAt = performance.now();
  try {
    await run();
    passed += 1;
    console.log(`ok     ${title} (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`);
  } catch (error) {
    failed += 1;
    console.error(`FAILED ${title}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
