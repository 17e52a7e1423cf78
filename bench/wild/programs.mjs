/** The programs: those of the libraries' guides, and those with a planted bottleneck. */

/** Those that need torch alone; the others need a library, too. */
const ON_ANY_TORCH = ['plain.py', 'factory.py', 'strict_warnings.py', 'failing_element.py', 'early_exit.py'];

/** Each prints a tally of its own, `tally train: 12 batches, 96 elements`, and ends with 0 unless `code` says otherwise. */
export const GUIDES = [
  { name: 'torchvision_folder' },
  { name: 'timm_folder' },
  { name: 'monai_dict' },
  { name: 'webdataset_shards' },
  { name: 'trainer_text' },
  { name: 'lightning_loaders' },
  { name: 'strict_warnings' },
  { name: 'failing_element', code: 1 },
  { name: 'early_exit', code: 3 },
].map(program => ({ script: `${program.name}.py`, args: [], code: 0, ...program }));

/** What must be said of each planted case: of which loader, and what limits it. */
const VERDICTS = {
  train: { role: 'train', kind: 'preparation-bound' },
  val: { role: 'val', kind: 'preparation-bound' },
  step: { role: 'train', kind: 'consumer-bound' },
  'mostly-step': { role: 'train', kind: 'consumer-bound' },
  'hand-over': { role: 'train', kind: 'transfer-bound' },
  start: { role: 'train', kind: 'start-bound' },
  order: { role: 'train', kind: 'order-bound' },
};

/** Script, what is slow in it, and options that differ from one worker. */
const PLANTED_CASES = [
  ['plain', 'train', '--workers', '0'],
  ['plain', 'val'],
  ['plain', 'step', '--workers', '2'],
  ['plain', 'mostly-step', '--workers', '0'],
  ['plain', 'hand-over', '--workers', '2'],
  ['plain', 'start', '--workers', '2', '--context', 'spawn'],
  ['plain', 'order', '--workers', '4'],
  ['factory', 'train'],
  ['factory', 'val', '--workers', '0'],
  ['factory', 'step'],
  ['factory', 'mostly-step', '--workers', '0'],
  ['factory', 'hand-over', '--workers', '2'],
  ['factory', 'start', '--workers', '2'],
  ['factory', 'order', '--workers', '4'],
  ['timm_loader', 'train'],
  ['timm_loader', 'val'],
  ['timm_loader', 'step', '--workers', '2'],
  ['accelerate_loop', 'train', '--workers', '2'],
  ['accelerate_loop', 'val', '--workers', '0'],
  ['accelerate_loop', 'step'],
  ['trainer', 'train', '--workers', '0'],
  ['trainer', 'val'],
  ['trainer', 'step'],
  ['lightning_fit', 'train'],
  ['lightning_fit', 'val', '--workers', '0'],
  ['lightning_fit', 'step'],
];

export const PLANTED = PLANTED_CASES.map(([script, slow, ...options]) => ({
  name: `${script}/${slow}`,
  script: `${script}.py`,
  args: ['--slow', slow, ...options],
  code: 0,
  expected: VERDICTS[slow],
}));

/** Whether its headline alone is asked for: there is nothing in it to speed up by settings, so nothing is timed. */
export const isUntimed = ({ name }) => name.endsWith('/step');

/** Whether any torch will do for it. */
export const isPlain = ({ script }) => ON_ANY_TORCH.includes(script);

/** Names that a loader of this role may have: that of a variable, an attribute, an option or a dataset. */
const ROLES = { train: /train/i, val: /val/i, test: /test/i };

/** Whether a loader's name tells what it is for. */
export function hasRole(name, role) {
  const others = role === 'train' ? ROLES.val : ROLES.train;
  return ROLES[role].test(name) && !others.test(name);
}
