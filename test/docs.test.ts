import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect } from 'vitest';
import { isLong } from './fixtures/depth.ts';
import { deep, quick as it } from './fixtures/depth-tests.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const CLI = join(ROOT, 'dist/cli/main.js');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

interface Manifest {
  readonly bin: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly files: readonly string[];
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}
const manifest: Manifest = JSON.parse(read('package.json'));

const documents = [
  ...readdirSync(ROOT).filter(name => name.endsWith('.md')),
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.md'))
    .map(name => `docs/${name}`),
];

interface Block {
  readonly document: string;
  readonly line: number;
  /** The words after the fence: `sh`, `sh run`, `ts pipeline.ts`. */
  readonly info: string;
  readonly text: string;
}

function blocksOf(document: string): Block[] {
  const source = read(document);
  return [...source.matchAll(/^```(\S[^\n]*)\n([\s\S]*?)^```$/gm)].map(({ index, 1: info = '', 2: text = '' }) => ({
    document,
    line: source.slice(0, index).split('\n').length,
    info: info.trim(),
    text,
  }));
}

const blocks = documents.flatMap(blocksOf);

/** The commands of a shell block, as words. Enough of a shell for what a guide should ask its reader to type. */
function commandsOf({ text }: Block): string[][] {
  return text
    .replace(/\\\n/g, ' ')
    .replace(/(^|\s)#.*$/gm, '')
    .split(/\n|&&|\|\||[;|]/)
    .map(command => command.split(/\s+/).filter(word => word !== '' && !/^[A-Z_]+=/.test(word)))
    .filter(words => words.length > 0);
}

const commands = blocks
  .filter(({ info }) => /^sh\b/.test(info))
  .flatMap(block => commandsOf(block).map(words => ({ where: `${block.document}:${block.line}`, words })));

/** What is asked of the `venturi` command, or undefined where another command is asked for. */
function venturiArguments(words: readonly string[]): readonly string[] | undefined {
  const [program, first] = words;
  if (program === 'venturi') return words.slice(1);
  if (program === 'npx' && first === 'venturi') return words.slice(2);
  if (program === 'node' && first === 'dist/cli/main.js') return words.slice(2);
  return words
    .join(' ')
    .match(/^npm run (?:-s )?venturi -- (.*)$/)?.[1]
    ?.split(' ');
}

interface Finished {
  readonly code: number;
  readonly output: string;
}

function execute(program: string, args: readonly string[], options: object = {}): Promise<Finished> {
  return new Promise(settle => {
    const child = execFile(program, args, options, (_error, stdout, stderr) => {
      settle({ code: child.exitCode ?? -1, output: stdout + stderr });
    });
  });
}

const help = (...verb: string[]): Promise<Finished> => execute(process.execPath, [CLI, ...verb, '--help']);

/** Rows of the Markdown table under a heading, without its head. */
function tablesUnder(document: string, heading: string): string[][] {
  const section =
    read(document)
      .split(/^## /m)
      .find(part => part.startsWith(`${heading}\n`)) ?? '';
  return [...section.matchAll(/(?<=\n)\|.*\|\n\|[-|]+\|\n((?:\|.*\|\n?)+)/g)].flatMap(([, rows = '']) =>
    rows
      .trim()
      .split('\n')
      .map(row =>
        row
          .split('|')
          .slice(1, -1)
          .map(cell => cell.trim()),
      ),
  );
}

beforeAll(() => {
  if (!existsSync(CLI)) throw new Error('dist/ is not there: npm run build');
});

describe('commands in the guides', () => {
  it('are there to be checked', () => {
    expect(commands.some(({ words }) => venturiArguments(words) !== undefined)).toBe(true);
    expect(commands.some(({ words }) => words.join(' ') === 'npm test')).toBe(true);
  });

  it('name verbs and options that the command line knows', async () => {
    const calls = commands.flatMap(({ where, words }) => {
      const args = venturiArguments(words);
      return args === undefined ? [] : [{ where, args }];
    });
    const general = await help();
    const verbs = [
      ...new Set(calls.flatMap(({ args: [verb] }) => (verb === undefined || verb.startsWith('-') ? [] : [verb]))),
    ];
    const helps = new Map(await Promise.all(verbs.map(async verb => [verb, await help(verb)] as const)));
    const unknown: string[] = [];
    for (const { where, args } of calls) {
      const [verb] = args;
      const shown = verb === undefined ? general : (helps.get(verb) ?? general);
      // Help for a verb that is not there is the general help.
      if (verb !== undefined && helps.has(verb) && (shown.code !== 0 || shown.output === general.output)) {
        unknown.push(`${where}: venturi ${verb}`);
      }
      // What stands behind two dashes is for another program.
      const dashes = args.indexOf('--');
      const own = dashes === -1 ? args : args.slice(0, dashes);
      for (const option of own.flatMap(word => word.match(/^--?[a-z][\w-]*/i) ?? [])) {
        const listed = new RegExp(`(^|[\\s,])${option}(?![\\w-])`, 'm');
        if (!listed.test(shown.output)) unknown.push(`${where}: venturi ${args.join(' ')}: ${option}`);
      }
    }
    expect(unknown).toEqual([]);
  });

  it('name scripts, files and programs that are there', () => {
    const missing = commands.filter(({ words }) => {
      const [program, ...args] = words;
      const plain = args.filter(word => !word.startsWith('-'));
      if (program === 'npm' && plain[0] === 'run') return !Object.hasOwn(manifest.scripts, plain[1] ?? '');
      if (program === 'npm' && plain[0] === 'test') return !Object.hasOwn(manifest.scripts, 'test');
      if (program === 'node' && plain[0] !== undefined) {
        return !existsSync(join(ROOT, plain[0])) && !blocks.some(({ info }) => info === `js ${plain[0]}`);
      }
      if (program === 'npx' && plain[0] !== 'venturi') {
        return !existsSync(join(ROOT, 'node_modules/.bin', plain[0] ?? 'nothing'));
      }
      return false;
    });
    expect(missing.map(({ where, words }) => `${where}: ${words.join(' ')}`)).toEqual([]);
  });

  const runnable = documents.filter(document => blocksOf(document).some(({ info }) => info === 'sh run'));
  (isLong ? deep : it).each(runnable.filter(document => isLong !== (document === 'README.md')))(
    'do what %s says where it is marked to be run',
    async document => {
      const folder = await mkdtemp(join(tmpdir(), 'venturi-docs-'));
      try {
        // The package as its user would have it installed.
        await mkdir(join(folder, 'node_modules/.bin'), { recursive: true });
        await symlink(ROOT, join(folder, 'node_modules/venturi'));
        await symlink('../venturi/dist/cli/main.js', join(folder, 'node_modules/.bin/venturi'));
        await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
        const script = join(folder, 'block.sh');
        const PATH = `${join(folder, 'node_modules/.bin')}${delimiter}${process.env.PATH ?? ''}`;
        for (const { line, info, text } of blocksOf(document)) {
          const file = /^(?:ts|js) (\S+)$/.exec(info)?.[1];
          if (file !== undefined) await writeFile(join(folder, file), text);
          if (info !== 'sh run') continue;
          await writeFile(script, `set -euo pipefail\n${text}`);
          const { code, output } = await execute('bash', [script], { cwd: folder, env: { ...process.env, PATH } });
          expect(code, `${document}:${line}\n${output}`).toBe(0);
        }
        if (document !== 'README.md') return;
        // What a newcomer records first is enough for a verdict, on a slow machine and on a fast one.
        const { output } = await execute(process.execPath, [CLI, 'diagnose', 'first', '--json'], { cwd: folder });
        expect(JSON.parse(output)).toMatchObject({ verdict: { kind: expect.not.stringMatching('short-recording') } });
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  );
});

describe('links in the guides', () => {
  const prose = (document: string): string => read(document).replace(/^```[\s\S]*?^```$/gm, '');

  /** Names of headings as GitHub makes them; a comment in a block of code is none, and a second heading of a name is numbered. */
  function anchors(document: string): string[] {
    const seen = new Map<string, number>();
    return [...prose(document).matchAll(/^#+ (.*)$/gm)].map(([, title = '']) => {
      const name = title
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replace(/\s/g, '-');
      const turn = seen.get(name) ?? 0;
      seen.set(name, turn + 1);
      return turn === 0 ? name : `${name}-${turn}`;
    });
  }

  /** Links and pictures, with or without a title, by reference, and of markup. */
  function linksOf(document: string): string[] {
    const text = prose(document).replace(/`[^`\n]*`/g, '');
    const patterns = [
      /\]\(\s*<?([^)>\s]+)>?(?:\s+["'][^)]*["'])?\s*\)/g,
      /^\s*\[[^\]]+\]:\s*<?([^>\s]+)/gm,
      /\b(?:href|src)\s*=\s*["']([^"']+)["']/g,
    ];
    return patterns.flatMap(pattern => [...text.matchAll(pattern)].map(([, link = '']) => link));
  }

  const targetOf = (document: string, path: string): string =>
    path === '' ? document : relative(ROOT, join(ROOT, dirname(document), path));

  it('lead somewhere', () => {
    const broken = documents.flatMap(document =>
      linksOf(document).flatMap(link => {
        if (/^[a-z]+:/.test(link)) return [];
        const [path = '', anchor] = link.split('#');
        const target = targetOf(document, path);
        const found = existsSync(join(ROOT, target)) && (anchor === undefined || anchors(target).includes(anchor));
        return found ? [] : [`${document}: ${link}`];
      }),
    );
    expect(broken).toEqual([]);
  });

  it('to elsewhere are addresses of the web', () => {
    const odd = documents.flatMap(document =>
      linksOf(document).flatMap(link =>
        /^[a-z]+:/.test(link) && !(/^https:/.test(link) && URL.canParse(link)) ? [`${document}: ${link}`] : [],
      ),
    );
    expect(odd).toEqual([]);
  });

  it('lead from README.md to every guide', () => {
    const reached = new Set(['README.md']);
    for (const document of reached) {
      for (const link of linksOf(document)) {
        const target = targetOf(document, link.split('#')[0] ?? '');
        if (!/^[a-z]+:/.test(link) && documents.includes(target)) reached.add(target);
      }
    }
    expect(documents.filter(document => !reached.has(document))).toEqual([]);
  });
});

describe('package.json', () => {
  it('promises files that the build makes', () => {
    const promised = [
      ...manifest.files,
      ...Object.values(manifest.bin),
      ...Object.values(manifest.exports).flatMap(entry => (typeof entry === 'string' ? [entry] : Object.values(entry))),
    ];
    expect(promised.filter(path => !existsSync(join(ROOT, path)))).toEqual([]);
  });
});

describe('src/README.md', () => {
  it('has a line for every folder with modules, and for no other', () => {
    const described = [...read('src/README.md').matchAll(/^\| `([a-z/-]+)\/` \|/gm)].map(([, folder]) => folder);
    const modules = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).filter(path =>
      /\.tsx?$/.test(path),
    );
    const folders = new Set(modules.filter(path => path.includes('/')).map(path => dirname(path)));
    expect(described.sort()).toEqual([...folders].sort());
  });
});

describe('ARCHITECTURE.md', () => {
  type Arrows = Readonly<Record<string, readonly string[]>>;
  const { rooms, engineParts }: { rooms: Arrows; engineParts: Arrows } = createRequire(import.meta.url)(
    '../.dependency-cruiser.cjs',
  );

  it('has the arrows that are checked', () => {
    const drawn = tablesUnder('ARCHITECTURE.md', 'Arrows').map(([room, imports]) => [
      room,
      imports === 'nothing' ? [] : imports?.split(', '),
    ]);
    expect(drawn).toEqual([...Object.entries(rooms), ...Object.entries(engineParts)]);
  });

  it('has a line for every room, and calls planned those without a module', () => {
    const isEmpty = (room: string): boolean => {
      const folder = join(ROOT, room === 'web' ? 'web' : `src/${room}`);
      return (
        !existsSync(folder) ||
        !readdirSync(folder, { recursive: true, encoding: 'utf8' }).some(name => /\.tsx?$/.test(name))
      );
    };
    const described = tablesUnder('ARCHITECTURE.md', 'Rooms').map(([room, line = '']) => [
      room,
      line.startsWith('planned'),
    ]);
    const built = Object.keys(rooms).filter(room => !room.includes('/'));
    expect(new Map(described as [string, boolean][])).toEqual(new Map(built.map(room => [room, isEmpty(room)])));
  });

  it('accounts for every dependency', () => {
    const named = tablesUnder('ARCHITECTURE.md', 'Dependencies').map(([name]) => name);
    const { dependencies, optionalDependencies, devDependencies } = manifest;
    expect(named.sort()).toEqual(Object.keys({ ...dependencies, ...optionalDependencies, ...devDependencies }).sort());
  });
});
