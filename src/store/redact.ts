import type { Graph, Operator } from '../model/graph.ts';
import { kindNamed, kindText } from '../model/kind.ts';
import { subject } from '../model/record.ts';
import type { RunManifest } from '../model/run.ts';

/** A path or URL anywhere in a text. `range/map` is not one: operators' ids look like that. */
const PATH = /[a-z][a-z0-9+.-]*:\/\/|\\|(?<![\w>])(?:~|\.{1,2}|[a-z]:)?\//i;
/** Free text, or any path: what a setting may give away. A single word stays. */
const FREE_TEXT = /[\s/\\@]|^.{41,}$/s;
/** Shorter arguments (`-v`, `16`) are not looked for inside other texts. */
const SHORTEST_SECRET = 4;

/** What a probe says once, as JSON: numbers in it stay, texts are redacted one by one. */
const FACTS = subject.facts('');

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

type TokenKind = 'path' | 'argument' | 'text';

/** Replaces texts by tokens numbered in order of appearance: the same text gets the same token, and no token leads back. */
export class Redactor {
  readonly #tokens = new Map<string, string>();
  /** As a whole. */
  readonly #given: ReadonlySet<string>;
  /** Also inside other texts. */
  readonly #secrets: readonly string[];

  /** `secrets`: texts that give away what contains them. */
  constructor(secrets: readonly string[]) {
    this.#given = new Set(secrets);
    this.#secrets = secrets.filter(secret => secret.length >= SHORTEST_SECRET);
  }

  token(kind: TokenKind, text: string): string {
    let token = this.#tokens.get(text);
    if (token === undefined) {
      token = `<${kind}-${this.#tokens.size + 1}>`;
      this.#tokens.set(text, token);
    }
    return token;
  }

  /** A name stays, unless it holds a path or a secret. */
  name(text: string): string {
    if (PATH.test(text)) return this.token('path', text);
    return this.#secrets.some(secret => text.includes(secret)) ? this.token('argument', text) : text;
  }

  /** A subject key of a lane's dictionary: `operator:NAME`. */
  key(text: string): string {
    const colon = text.indexOf(':');
    const facts = text.startsWith(FACTS) ? parsed(text.slice(FACTS.length)) : undefined;
    if (facts !== undefined) return FACTS + JSON.stringify(this.value(facts));
    return text.slice(0, colon + 1) + this.name(text.slice(colon + 1));
  }

  /** Settings and parameters, however deep. */
  value(value: unknown): unknown {
    if (typeof value === 'string') {
      if (this.#given.has(value)) return this.token('argument', value);
      return FREE_TEXT.test(value) ? this.token('text', value) : this.name(value);
    }
    if (Array.isArray(value)) return value.map(item => this.value(item));
    if (typeof value === 'object' && value !== null) return this.values(value);
    return value;
  }

  values(values: object): Record<string, unknown> {
    return Object.fromEntries(Object.entries(values).map(([key, value]) => [this.name(key), this.value(value)]));
  }

  /** `file:line` keeps the file's own name. */
  location(text: string): string {
    const [, folder = '', file = '', line = ''] = /^(.*[\\/])?(.*?)((?::\d+)*)$/s.exec(text) ?? [];
    return (folder === '' ? '' : `${this.token('path', folder)}/`) + this.name(file) + line;
  }
}

/** The redactor of a run: its arguments and its folder are what it hides. */
export function redactorOf(manifest: RunManifest): Redactor {
  // An argument that merely names an operator gives away nothing the graph does not.
  const open = new Set(manifest.graph?.operators.flatMap(({ id, kind, label }) => [id, kindText(kind), label]));
  const given = manifest.command.slice(1).flatMap(argument => [argument, argument.replace(/^[^=]*=/, '')]);
  return new Redactor([manifest.directory, ...given.filter(argument => !open.has(argument) || PATH.test(argument))]);
}

/** Knows every token of the redacted manifest: what lanes call their subjects must agree with it. */
export function lanesRedactor(manifest: RunManifest): Redactor {
  const redactor = redactorOf(manifest);
  redactManifest(manifest, redactor);
  return redactor;
}

/** The manifest without paths, arguments and free text; graph, numbers and outcome stay. */
export function redactManifest(manifest: RunManifest, redactor: Redactor = redactorOf(manifest)): RunManifest {
  const { graph, outcome, stuck } = manifest;
  const [program, ...given] = manifest.command;
  const directory = redactor.token('path', manifest.directory);
  const command = given.map(argument => redactor.token('argument', argument));
  if (program !== undefined) command.unshift(redactor.name(program));
  return {
    ...manifest,
    name: redactor.name(manifest.name),
    command,
    directory,
    parameters: redactor.values(manifest.parameters),
    settings: redactor.values(manifest.settings),
    ...(graph && { graph: redactGraph(graph, redactor) }),
    ...(stuck && {
      stuck: stuck.map(work => ({
        ...work,
        lane: redactor.name(work.lane),
        operators: work.operators.map(id => redactor.name(id)),
      })),
    }),
    ...(outcome && {
      outcome: {
        ...outcome,
        warnings: outcome.warnings.map(warning => redactor.name(warning)),
        ...(outcome.error && {
          error: { code: outcome.error.code, message: redactor.token('text', outcome.error.message) },
        }),
      },
    }),
    redacted: true,
  };
}

const redactGraph = (graph: Graph, redactor: Redactor): Graph => ({
  operators: graph.operators.map(
    (operator): Operator => ({
      ...operator,
      id: redactor.name(operator.id),
      kind: kindNamed(redactor.name(kindText(operator.kind))),
      label: redactor.name(operator.label),
      inputs: operator.inputs.map(input => redactor.name(input)),
      settings: redactor.values(operator.settings),
      ...(operator.pool !== undefined && { pool: redactor.name(operator.pool) }),
      ...(operator.location !== undefined && { location: redactor.location(operator.location) }),
    }),
  ),
  channels: graph.channels.map(channel => ({
    ...channel,
    id: redactor.name(channel.id),
    from: redactor.name(channel.from),
    to: redactor.name(channel.to),
  })),
  stages: graph.stages.map(stage => ({
    ...stage,
    id: redactor.name(stage.id),
    operators: stage.operators.map(operator => redactor.name(operator)),
  })),
  ...(graph.memory !== undefined && { memory: graph.memory }),
  fingerprint: graph.fingerprint,
});
