import type { CpuUse } from '../../analysis/rates/rates.ts';
import type { Interval } from '../../math/statistics.ts';
import type { End } from '../../model/end.ts';
import type { Graph } from '../../model/graph.ts';
import type { Host } from '../../model/host.ts';
import type { Warning } from '../../model/warnings.ts';
import type { Forecast } from '../../prediction/bound/forecast.ts';
import type { WhatIf } from '../../prediction/bound/resources.ts';

export interface Prediction {
  readonly schemaVersion: 1;
  readonly name: string;
  readonly folder: string;
  readonly seconds: number;
  readonly measured: Interval;
  /** Where the elements of all rates are counted. */
  readonly ends: readonly End[];
  readonly host: Host;
  /** Use of its cores. Unless other cores are asked for, the forecasts are for those that other programs left. */
  readonly cpu: CpuUse;
  readonly graph: Graph;
  /** Resources asked for; others are as recorded. */
  readonly whatIf: WhatIf;
  /** On the machine of the recording, with as many lanes as needed. */
  readonly asRecorded: Forecast;
  /** On the resources that were asked for. */
  readonly forecast: Forecast;
  readonly problems: readonly Warning[];
}
