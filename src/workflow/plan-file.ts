import { MOST_WRITTEN_BYTES, readRegularText } from '../files/regular-file.ts';
import { writeFileAtomically } from '../io/storage/write-file.ts';
import { VenturiError } from '../model/errors.ts';
import { type PipelinePlan, PlanSchema } from '../model/plan.ts';

/** Reads a plan that `venturi tune --out` wrote, or somebody by hand. */
export function loadPlan(path: string): PipelinePlan {
  let text: string;
  try {
    text = readRegularText(path, MOST_WRITTEN_BYTES);
  } catch (cause) {
    throw unreadable(path, (cause as Error).message, cause);
  }
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (cause) {
    throw unreadable(path, `it is not JSON (${(cause as Error).message})`, cause);
  }
  const plan = PlanSchema.safeParse(data);
  if (plan.success) return plan.data;
  const [issue] = plan.error.issues;
  throw unreadable(path, `${issue?.path.join('.') || 'the whole'}: ${issue?.message ?? 'not a plan'}`, plan.error);
}

const unreadable = (path: string, why: string, cause: unknown): VenturiError =>
  new VenturiError('VENTURI_PLAN_UNREADABLE', `${path} is no plan: ${why}`, {
    cause,
    remedy: 'make one: venturi tune PIPELINE --out plan.json',
  });

export const savePlan = (path: string, plan: PipelinePlan): void =>
  writeFileAtomically(path, `${JSON.stringify(plan, undefined, 2)}\n`);
