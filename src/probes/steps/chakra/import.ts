import type { StepTrace } from '../../../model/step-trace.ts';
import { jsonDocuments } from '../json-documents.ts';
import type { StepFile } from '../step-file.ts';
import { reading } from '../unreadable.ts';
import { chakraGraphNodes, chakraMessageNodes } from './json.ts';
import { chakraTrace } from './trace.ts';
import { chakraWireNodes } from './wire.ts';

const WHAT = 'Chakra execution trace';
const REMEDY = 'Convert it again with chakra_converter.';

/** A Chakra execution trace in protobuf (`.et`). `rank`: of the process it is of. */
export const importChakra = ({ name, bytes }: StepFile, rank: number): StepTrace =>
  reading(name, WHAT, REMEDY, () => chakraTrace(name, chakraWireNodes(bytes, `a ${WHAT}`), rank));

/** The same as JSON: a `workload_graph`, or messages one after the other. */
export const importChakraJson = ({ name, bytes }: StepFile, rank: number): StepTrace =>
  reading(name, WHAT, REMEDY, () => {
    const documents = jsonDocuments(name, bytes, WHAT);
    const graph = (documents[0] as { workload_graph?: unknown } | undefined | null)?.workload_graph;
    return chakraTrace(name, Array.isArray(graph) ? chakraGraphNodes(graph) : chakraMessageNodes(documents), rank);
  });

/** Chakra's tools name the file of a process `NAME.RANK.et`; 0 where it has another name. */
export const rankInName = (path: string): number => Number(/\.(\d{1,6})\.(?:et|json)(?:\.gz)?$/.exec(path)?.[1] ?? 0);
