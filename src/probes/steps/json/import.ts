import { VenturiError } from '../../../model/errors.ts';
import type { StepTrace } from '../../../model/step-trace.ts';
import { parseStepTrace } from '../../../model/step-trace-json.ts';
import { isJson } from '../json-head.ts';
import { parsedJson } from '../parsed-json.ts';
import type { StepFile } from '../step-file.ts';

/** A trace in Venturi's own format, which docs/steps.md describes. */
export function importStepsJson({ name, bytes }: StepFile): StepTrace {
  const trace = parseStepTrace(parsedJson(name, bytes, 'trace of training steps'), name);
  if (trace.steps.length > 0 && trace.ops.count > 0) return trace;
  const what = trace.steps.length === 0 ? 'steps' : 'ops';
  throw new VenturiError('VENTURI_STEPS_NONE', `${name} has no ${what}.`, {
    remedy:
      'docs/steps.md describes the format: a step has a start and a duration, and ops that say which step they belong to.',
  });
}

export const looksLikeStepsJson = (head: string): boolean =>
  isJson(head) && /"format"\s*:\s*"venturi-steps"/.test(head);
