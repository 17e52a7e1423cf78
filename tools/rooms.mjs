#!/usr/bin/env node
/**
 * Holds the source to the arrows in `.dependency-cruiser.cjs`.
 *
 *     node tools/rooms.mjs [root]
 *
 * A check that looked at nothing is a failure, not a pass: with a compiler it cannot use, dependency-cruiser reports
 * no violation in no modules.
 */
import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { cruise } from 'dependency-cruiser';

const { forbidden, options, rooms, engineParts } = createRequire(import.meta.url)('../.dependency-cruiser.cjs');

const isTest = path => /\.(test|fixture)\.ts$/.test(path);

/** The room a module is in, or undefined where it is in none. */
function roomOf(path) {
  const [top, second] = path.split('/');
  const room = top === 'src' ? second : top === 'web' ? 'web' : undefined;
  return room !== undefined && Object.hasOwn(rooms, room) ? room : undefined;
}

/** A folder of the engine that is no part of it has no walls. */
const isLoose = path =>
  /^src\/engine\/.*\//.test(path) && !Object.keys(engineParts).some(part => path.startsWith(`src/engine/${part}/`));

function sourceFiles(root) {
  return ['src', 'web']
    .filter(folder => existsSync(join(root, folder)))
    .flatMap(folder =>
      readdirSync(join(root, folder), { recursive: true })
        .map(path => `${folder}/${path.replaceAll('\\', '/')}`)
        .filter(path => /\.tsx?$/.test(path) && !path.includes('node_modules/') && !isTest(path)),
    );
}

function describe({ rule, from, to, cycle }) {
  const { comment } = forbidden.find(({ name }) => name === rule.name);
  const path = cycle ? cycle.map(({ name }) => name).join(' → ') : to;
  return `${from} → ${path}: ${comment} (${rule.name})`;
}

/**
 * @param {string} root a folder that holds `src/`, and perhaps `web/`
 * @returns {Promise<{ modules: number, arrows: number, violations: string[] }>}
 */
export async function checkRooms(root) {
  const files = sourceFiles(root);
  const folders = ['src', 'web'].filter(folder => existsSync(join(root, folder)));
  if (folders.length === 0) return { modules: 0, arrows: 0, violations: [`no module seen: ${root} has no src/`] };

  const { output } = await cruise(folders, { ...options, validate: true, ruleSet: { forbidden }, baseDir: root });
  const seen = output.modules.filter(({ source }) => /^(src|web)\//.test(source) && !isTest(source));
  const violations = output.summary.violations.map(describe);

  const names = new Set(seen.map(({ source }) => source));
  const unseen = files.filter(path => !names.has(path));
  if (seen.length === 0) violations.push('no module seen: can dependency-cruiser use the installed TypeScript?');
  else for (const path of unseen) violations.push(`${path}: not seen by the check`);

  for (const { source } of seen) {
    if (roomOf(source) === undefined) violations.push(`${source}: in no room of .dependency-cruiser.cjs`);
    else if (isLoose(source)) violations.push(`${source}: in no part of the engine in .dependency-cruiser.cjs`);
  }

  const arrows = new Set();
  for (const { source, dependencies } of seen) {
    for (const { resolved } of dependencies) {
      const [from, to] = [roomOf(source), roomOf(resolved)];
      if (from !== undefined && to !== undefined && from !== to) arrows.add(`${from} → ${to}`);
    }
  }
  return { modules: seen.length, arrows: arrows.size, violations };
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(resolve(process.argv[1])).href) {
  const root = resolve(process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url)));
  const { modules, arrows, violations } = await checkRooms(root);
  if (violations.length === 0) {
    console.log(`rooms: ${modules} modules, ${arrows} arrows, no violation`);
  } else {
    for (const violation of violations) console.error(violation);
    console.error(`rooms: ${modules} modules, ${arrows} arrows, ${violations.length} violations`);
    process.exitCode = 1;
  }
}
