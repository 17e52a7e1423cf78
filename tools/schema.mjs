#!/usr/bin/env node
/** Writes the JSON Schema of run.json into a finished build: `node tools/schema.mjs [DIST]`. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { z } from 'zod';

const dist = resolve(process.argv[2] ?? fileURLToPath(new URL('../dist', import.meta.url)));
const { RunManifestSchema } = await import(pathToFileURL(join(dist, 'model/index.js')).href);

// `input`: what has a default may be missing from a file.
const schema = { title: 'run.json of a Venturi run', ...z.toJSONSchema(RunManifestSchema, { io: 'input' }) };
const path = join(dist, 'schema/run.json');
mkdirSync(dirname(path), { recursive: true });
writeFileSync(path, `${JSON.stringify(schema, undefined, 2)}\n`);
