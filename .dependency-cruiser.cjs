/**
 * The rooms and the arrows between them. This table is the only place where they stand: the rules further down are
 * made from it, and a test compares ARCHITECTURE.md with it.
 *
 * A room may import itself and the rooms named beside it, types included. A row `room/part` takes the place of its
 * room's row for the modules of that part.
 */
const ROOMS = {
  model: [],
  math: [],
  files: [],
  errors: ['model'],
  graph: ['model', 'math'],
  simulation: ['model', 'math'],
  store: ['model', 'files'],
  io: ['model', 'math', 'files', 'errors'],
  engine: ['model', 'math', 'files', 'errors', 'graph', 'io'],
  probes: ['model', 'files', 'store'],
  'probes/engine': ['model', 'math', 'graph', 'store', 'engine'],
  'probes/host': ['model', 'files'],
  'probes/steps': ['model', 'math', 'files', 'io'],
  analysis: ['model', 'math', 'graph'],
  prediction: ['model', 'math', 'graph', 'simulation', 'analysis'],
  tuning: ['model', 'math', 'graph', 'analysis', 'prediction'],
  appliers: ['model'],
  report: ['model', 'graph'],
  findings: ['model', 'math', 'analysis', 'prediction', 'tuning', 'report'],
  'report/results': ['model', 'math', 'analysis', 'prediction', 'tuning', 'findings'],
  'report/views': ['model', 'math', 'analysis', 'prediction', 'tuning', 'findings'],
  'report/page': ['model', 'math', 'analysis', 'prediction', 'tuning', 'findings'],
  workflow: [
    'model',
    'math',
    'files',
    'errors',
    'graph',
    'store',
    'io',
    'engine',
    'probes',
    'analysis',
    'prediction',
    'tuning',
    'appliers',
    'report',
    'findings',
  ],
  server: ['workflow', 'report', 'store', 'model'],
  cli: [
    'model',
    'math',
    'files',
    'errors',
    'graph',
    'store',
    'io',
    'engine',
    'probes',
    'analysis',
    'prediction',
    'tuning',
    'appliers',
    'report',
    'findings',
    'workflow',
    'server',
  ],
  web: ['model', 'math', 'graph', 'simulation', 'report', 'analysis', 'prediction', 'tuning', 'findings'],
};

/**
 * The parts of the engine, and what each may import of the others; of other rooms it may import what the engine may. What stands in
 * `src/engine/` itself is the way in, and may import all of them.
 */
const ENGINE_PARTS = {
  contract: [],
  operators: ['contract'],
  compile: ['contract', 'operators'],
  relational: ['compile'],
  modules: [],
  description: ['contract', 'operators', 'compile'],
  sources: ['contract', 'compile', 'description'],
  'runtime/books': ['contract', 'compile'],
  'runtime/chunk': ['contract', 'compile'],
  'runtime/ring': ['compile', 'runtime/books'],
  'runtime/calls': ['contract', 'compile', 'runtime/books'],
  'runtime/checkpoint': ['contract', 'compile', 'runtime/books', 'runtime/chunk', 'runtime/cache'],
  'runtime/stage': [
    'contract',
    'operators',
    'compile',
    'runtime/books',
    'runtime/chunk',
    'runtime/calls',
    'runtime/checkpoint',
  ],
  'runtime/joins': ['compile', 'operators', 'runtime/books', 'runtime/checkpoint', 'runtime/stage'],
  'runtime/cache': ['contract', 'compile', 'runtime/books', 'runtime/chunk', 'runtime/stage', 'runtime/joins'],
  'runtime/interleave': [
    'contract',
    'compile',
    'description',
    'runtime/calls',
    'runtime/checkpoint',
    'runtime/stage',
    'runtime/joins',
  ],
  'runtime/run': [
    'contract',
    'operators',
    'compile',
    'description',
    'runtime/books',
    'runtime/chunk',
    'runtime/calls',
    'runtime/checkpoint',
    'runtime/stage',
    'runtime/joins',
    'runtime/cache',
    'runtime/interleave',
  ],
  'runtime/inline': [
    'contract',
    'compile',
    'runtime/books',
    'runtime/chunk',
    'runtime/calls',
    'runtime/checkpoint',
    'runtime/stage',
    'runtime/cache',
    'runtime/interleave',
    'runtime/run',
  ],
  'runtime/threads': [
    'contract',
    'operators',
    'compile',
    'modules',
    'description',
    'runtime/books',
    'runtime/chunk',
    'runtime/ring',
    'runtime/calls',
    'runtime/checkpoint',
    'runtime/stage',
    'runtime/cache',
    'runtime/run',
    'runtime/inline',
  ],
  runtime: ['contract', 'description'],
  api: ['contract', 'compile', 'description', 'modules', 'runtime'],
  handover: ['contract', 'description', 'modules', 'api'],
};

/** Functions of their arguments alone: no clock, file or process, and of the packages only these. */
const PURE = [
  'model',
  'math',
  'graph',
  'simulation',
  'analysis',
  'prediction',
  'tuning',
  'appliers',
  'findings',
  'report',
  'web',
];
const PURE_PACKAGES = ['zod'];
/** The page's own: they are bundled into it, so that its user needs none of them. */
const PAGE_PACKAGES = ['preact', '@preact/signals', 'uplot', '@dagrejs/dagre'];
const installed = names => names.map(name => `node_modules/${name}/`);

const TEST = String.raw`\.(test|fixture)\.ts$`;
const folder = room => (room === 'web' ? '^web/' : `^src/${room}/`);
const partsOf = room => Object.keys(ROOMS).filter(row => row.startsWith(`${room}/`));

const arrows = Object.entries(ROOMS).map(([row, imports]) => {
  const room = row.split('/')[0];
  return {
    name: `arrow-${row.replace('/', '-')}`,
    comment: `${row} may import ${imports.join(', ') || 'no other room'}`,
    severity: 'error',
    from: { path: folder(row), pathNot: [TEST, ...partsOf(row).map(folder)] },
    to: { path: '^(src|web)/', pathNot: [room, ...imports].map(folder) },
  };
});

const part = name => `^src/engine/${name}/`;

const partArrows = Object.entries(ENGINE_PARTS).map(([name, imports]) => ({
  name: `arrow-engine-${name.replace('/', '-')}`,
  comment: `${name} of the engine may import ${imports.join(', ') || 'no other part of it'}`,
  severity: 'error',
  from: {
    path: part(name),
    pathNot: [TEST, ...Object.keys(ENGINE_PARTS).flatMap(other => (other.startsWith(`${name}/`) ? [part(other)] : []))],
  },
  to: { path: '^src/engine/', pathNot: [name, ...imports].map(part) },
}));

const forbidden = [
  ...arrows,
  ...partArrows,
  {
    name: 'no-cycle',
    comment: 'modules that import each other are one module in two files',
    severity: 'error',
    from: {},
    to: { circular: true },
  },
  {
    name: 'pure-no-node',
    comment: 'a pure room has no clock, file or process',
    severity: 'error',
    from: { path: PURE.map(folder), pathNot: TEST },
    to: { dependencyTypes: ['core'] },
  },
  {
    name: 'pure-no-package',
    comment: `a pure room may use no package but ${PURE_PACKAGES.join(', ')}`,
    severity: 'error',
    from: { path: PURE.map(folder), pathNot: [TEST, folder('web')] },
    to: { path: 'node_modules/', pathNot: installed(PURE_PACKAGES) },
  },
  {
    name: 'page-no-package',
    comment: `the page may use no package but ${[...PURE_PACKAGES, ...PAGE_PACKAGES].join(', ')}`,
    severity: 'error',
    from: { path: folder('web'), pathNot: TEST },
    to: { path: 'node_modules/', pathNot: installed([...PURE_PACKAGES, ...PAGE_PACKAGES]) },
  },
  {
    name: 'no-development-package',
    comment: 'what ships may not need a package that its user does not get',
    severity: 'error',
    from: { path: '^src/', pathNot: TEST },
    to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'] },
  },
  {
    name: 'no-test',
    comment: 'only a test may import a test or its fixture',
    severity: 'error',
    from: { pathNot: TEST },
    to: { path: TEST },
  },
  {
    name: 'no-outside',
    comment: 'source imports source and packages, nothing else of this repository',
    severity: 'error',
    from: { path: '^(src|web)/', pathNot: TEST },
    to: { pathNot: ['^src/', '^web/', 'node_modules/'], dependencyTypesNot: ['core'], couldNotResolve: false },
  },
  {
    name: 'not-found',
    comment: 'there is no such module',
    severity: 'error',
    from: {},
    to: { couldNotResolve: true },
  },
];

module.exports = {
  forbidden,
  options: {
    // Tests import the built package by its name, as users do.
    doNotFollow: { path: ['node_modules', '^dist/'] },
    // An arrow of types is an arrow.
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['types', 'import', 'node', 'default'] },
  },
};

// For the check and the tests. Not enumerable, because dependency-cruiser refuses keys it does not know.
Object.defineProperty(module.exports, 'rooms', { value: ROOMS });
Object.defineProperty(module.exports, 'engineParts', { value: ENGINE_PARTS });
