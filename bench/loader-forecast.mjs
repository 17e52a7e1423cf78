/** How often the band of a DataLoader's forecast holds, and how wide it is: `wild/forecast.mjs`. */
import { forecastResults } from './wild/forecast.mjs';

export default async function loaderForecast(report) {
  for await (const result of forecastResults()) report(result);
}
