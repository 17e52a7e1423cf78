import type { Finding } from '../../findings/registry.ts';
import { heading } from '../blocks.ts';
import type { LoaderDiagnosis } from '../results/program-diagnosis.ts';
import type { Block } from '../tree.ts';
import { diffLine } from './diff-line.ts';

/** Datasets of torchvision with a `loader` argument: the function that reads a file. */
const FOLDERS = ['ImageFolder', 'DatasetFolder'];

const CODE = `
def kept(load, folder):
    """Reads what \`load\` gave of a file before, from \`folder\`; pixels are the same."""
    os.makedirs(folder, exist_ok=True)

    def read(path):
        file = os.path.join(folder, hashlib.sha1(path.encode()).hexdigest() + ".npy")
        if not os.path.exists(file):
            fresh = "%s.%d.npy" % (file, os.getpid())
            numpy.save(fresh, numpy.asarray(load(path)))
            os.replace(fresh, file)
        return Image.fromarray(numpy.load(file))

    return read
`;

/** Code that caches decoded images, where every pass decodes them again and the dataset takes a function that loads a file. */
export function keptDecodedBlocks({ summary, findings }: Pick<LoaderDiagnosis, 'summary' | 'findings'>): Block[] {
  const dataset = summary.settings?.dataset ?? '';
  const givesImages = (name: string): boolean =>
    summary.operators.some(({ operator, traits }) => operator === name && traits.gives === 'PIL.Image');
  const decodes = (finding: Finding): boolean => finding.kind === 'repeated' && givesImages(finding.figures.until);
  if (!FOLDERS.includes(dataset) || !findings.others.some(decodes)) return [];
  return [
    heading('To decode once', 'takes the disk space of the pixels: width × height × 3 bytes each'),
    {
      type: 'code',
      lines: [
        ...CODE.trim().split('\n'),
        '',
        `-${dataset}(folder, transform)`,
        `+${dataset}(folder, transform, loader=kept(torchvision.datasets.folder.default_loader, "decoded"))`,
      ].map(diffLine),
    },
  ];
}
