/** All activities over one set of dependencies. The names of the properties are the activity types on the wire. */
import { createAdoptRunActivity, createLoadResumeActivity } from './adopt-run.ts';
import { createCallModelActivity } from './call-model.ts';
import { createCallToolActivity } from './call-tool.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { createNotifyActivity } from './notify.ts';
import { createOpenRunActivity } from './open-run.ts';
import { createPlanActivity } from './plan.ts';
import { createReadLeftWorkActivity } from './read-left-work.ts';
import { createSettleStoppedActivity } from './settle-stopped.ts';
import { createStoreReportActivity } from './store-report.ts';
import { createSynthesizeActivity } from './synthesize.ts';

export function createActivities(dependencies: ActivityDependencies) {
  return {
    openRunActivity: createOpenRunActivity(dependencies),
    adoptRunActivity: createAdoptRunActivity(dependencies),
    loadResumeActivity: createLoadResumeActivity(dependencies),
    planActivity: createPlanActivity(dependencies),
    callModelActivity: createCallModelActivity(dependencies),
    callToolActivity: createCallToolActivity(dependencies),
    storeReportActivity: createStoreReportActivity(dependencies),
    readLeftWorkActivity: createReadLeftWorkActivity(dependencies),
    settleStoppedActivity: createSettleStoppedActivity(dependencies),
    notifyActivity: createNotifyActivity(dependencies),
    synthesizeActivity: createSynthesizeActivity(dependencies),
  };
}
export type Activities = ReturnType<typeof createActivities>;
