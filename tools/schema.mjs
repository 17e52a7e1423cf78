#!/usr/bin/env node
/** Writes the JSON Schemas of run.json and of plans into a finished build: `node tools/schema.mjs [DIST]`. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { z } from 'zod';

const dist = resolve(process.argv[2] ?? fileURLToPath(new URL('../dist', import.meta.url)));
const { PlanSchema, RunManifestSchema } = await import(pathToFileURL(join(dist, 'model/index.js')).href);

const SCHEMAS = {
  'run.json': { title: 'run.json of a Venturi run', of: RunManifestSchema },
  'plan.json': { title: 'a plan of venturi tune', of: PlanSchema },
};

for (const [name, { title, of }] of Object.entries(SCHEMAS)) {
  // `input`: what has a default may be missing from a file.
  const schema = { title, ...z.toJSONSchema(of, { io: 'input' }) };
  const path = join(dist, 'schema', name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(schema, undefined, 2)}\n`);
}
