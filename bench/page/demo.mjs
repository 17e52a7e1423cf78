/** Size of the page that `venturi demo` writes. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { venturi } from '../harness.mjs';

export async function demoSize(report, { folder }) {
  const { page } = JSON.parse(await venturi(['demo', '--folder', join(folder, 'demo'), '--json']));
  report({ case: 'report/demo-mb', value: statSync(page).size / 1e6, unit: 'MB', goal: '<= 2' });
}
