"""Makes ustar.tar, gnu.tar, pax.tar and tar.json with Python's tarfile, shard.tar.gz and shard.json with the webdataset package.

shard.json is what webdataset's own reader makes of shard.tar.gz.
"""
import base64, gzip, io, json, os, tarfile
import webdataset

def name_of(length, ending): return ('folder/' + 'long-name-' * 40)[:length - len(ending)] + ending

files = {
    'ustar': [('a.txt', b'hello'), ('empty', b''), ('block', b'x' * 512), ('d' * 90 + '/' + 'f' * 90 + '.bin', bytes(range(256)))],
    'gnu': [('a.txt', b'hello'), (name_of(300, '.jpg'), b'long'), ('żółw.txt', 'żółw'.encode())],
    'pax': [('a.txt', b'hello'), (name_of(300, '.jpg'), b'long'), ('żółw.txt', 'żółw'.encode())],
}
formats = {'ustar': tarfile.USTAR_FORMAT, 'gnu': tarfile.GNU_FORMAT, 'pax': tarfile.PAX_FORMAT}
for kind, entries in files.items():
    extra = {'pax_headers': {'comment': 'for all entries'}} if kind == 'pax' else {}
    with tarfile.open(kind + '.tar', 'w', format=formats[kind], **extra) as tar:
        folder = tarfile.TarInfo('folder/'); folder.type = tarfile.DIRTYPE; tar.addfile(folder)
        for name, data in entries:
            entry = tarfile.TarInfo(name); entry.size = len(data); entry.mtime = 1
            tar.addfile(entry, io.BytesIO(data))
        for type in (tarfile.SYMTYPE,) if kind == 'pax' else (tarfile.SYMTYPE, tarfile.LNKTYPE):
            link = tarfile.TarInfo('link'); link.type = type
            link.linkname = 'a.txt' if kind == 'ustar' else entries[1][0]
            tar.addfile(link)
        last = tarfile.TarInfo('last'); last.size = 4; tar.addfile(last, io.BytesIO(b'last'))
json.dump({k: [[n, base64.b64encode(d).decode()] for n, d in v + [('last', b'last')]] for k, v in files.items()},
          open('tar.json', 'w'), indent=1, ensure_ascii=False)

with webdataset.TarWriter('shard.tar', mtime=1) as shard:
    for i in range(3):
        shard.write({'__key__': f'train/{i:04d}', 'jpg': bytes([255, 216, i]) * 40, 'cls': i, 'seg.png': b'png' * i, 'json': {'i': i}})
with tarfile.open('shard.tar', 'a') as tar:
    for name in ('__meta__/info.json', 'README', '.hidden.txt', 'v1.2/x.TXT', 'v1.2/y.txt', 'x.y/only'):
        entry = tarfile.TarInfo(name); entry.size = 2; tar.addfile(entry, io.BytesIO(b'{}'))
with open('shard.tar', 'rb') as plain, open('shard.tar.gz', 'wb') as packed:
    packed.write(gzip.compress(plain.read(), mtime=0))
os.remove('shard.tar')
samples = []
for sample in webdataset.WebDataset('shard.tar.gz', shardshuffle=False, empty_check=False):
    fields = {k: base64.b64encode(v).decode() for k, v in sample.items() if not k.startswith('__')}
    samples.append({'key': sample['__key__'], 'fields': fields})
json.dump(samples, open('shard.json', 'w'), indent=1)
