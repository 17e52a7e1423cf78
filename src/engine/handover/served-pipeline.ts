import { blueprintOf } from '../description/definition.ts';
import { importModule } from '../modules/import-module.ts';
import { handover } from './environment.ts';
import { handedOver } from './handed-over.ts';

/** What every thread imports instead of the author's module: the same pipeline, with what hands its batches over at its end. */
const { url, path } = handover();
const { spec, build } = blueprintOf((await importModule(url, path)).default, path);

export default { spec, build: (params: Record<string, unknown>) => handedOver(build(params), path) };
