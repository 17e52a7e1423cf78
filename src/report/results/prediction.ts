import type { CpuUse } from '../../analysis/rates/rates.ts';
import type { Interval } from '../../math/statistics.ts';
import type { End } from '../../model/end.ts';
import type { Graph } from '../../model/graph.ts';
import type { Host } from '../../model/host.ts';
import type { Warning } from '../../model/warnings.ts';
import type { Ceiling, Outlook } from '../../prediction/cost/outlook.ts';
import type { WhatIf } from '../../prediction/cost/resources.ts';

/** What a run of any target would come to, set otherwise or elsewhere. */
export interface RunForecast {
  readonly schemaVersion: 1;
  readonly name: string;
  readonly folder: string;
  /** What was asked for; the rest is as recorded. */
  readonly whatIf: object;
  readonly problems: readonly Warning[];
}

export interface Prediction extends RunForecast, Outlook {
  readonly host: Host;
  readonly seconds: number;
  readonly measured: Interval;
  /** Where the elements of all rates are counted. */
  readonly ends: readonly End[];
  /** Use of its cores. Unless other cores are asked for, the forecasts are for those that other programs left. */
  readonly cpu: CpuUse;
  readonly graph: Graph;
  readonly whatIf: WhatIf;
  /** On the machine of the recording. Ceiling and forecast are for the resources that were asked for. */
  readonly asRecorded: Ceiling;
}
