"""Makes examples.tfrecord and examples.json. Needs protobuf, tensorboardX and crc32c.

The framing and its checksums are tensorboardX's, the messages are serialised by Google's protobuf from the published
definitions of tensorflow/core/example, and every checksum is computed once more by the crc32c package.
"""
import base64, json, struct
import crc32c
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from tensorboardX.record_writer import RecordWriter

F = descriptor_pb2.FieldDescriptorProto
file = descriptor_pb2.FileDescriptorProto(name='example.proto', package='t', syntax='proto3')

def message(name, *fields):
    m = file.message_type.add(name=name)
    for number, (field, kind, repeated) in enumerate(fields, 1):
        scalar = isinstance(kind, int)
        f = m.field.add(name=field, number=number, label=F.LABEL_REPEATED if repeated else F.LABEL_OPTIONAL)
        if scalar: f.type = kind
        else: f.type, f.type_name = F.TYPE_MESSAGE, '.t.' + kind
    return m

def with_map(name, field, kind):
    entry = ''.join(part.title() for part in field.split('_')) + 'Entry'
    m = message(name, (field, name + '.' + entry, True))
    e = m.nested_type.add(name=entry)
    e.options.map_entry = True
    e.field.add(name='key', number=1, type=F.TYPE_STRING, label=F.LABEL_OPTIONAL)
    e.field.add(name='value', number=2, type=F.TYPE_MESSAGE, type_name='.t.' + kind, label=F.LABEL_OPTIONAL)

message('BytesList', ('value', F.TYPE_BYTES, True))
message('FloatList', ('value', F.TYPE_FLOAT, True))
message('Int64List', ('value', F.TYPE_INT64, True))
feature = message('Feature', ('bytes_list', 'BytesList', False), ('float_list', 'FloatList', False), ('int64_list', 'Int64List', False))
feature.oneof_decl.add(name='kind')
for f in feature.field: f.oneof_index = 0
with_map('Features', 'feature', 'Feature')
message('Example', ('features', 'Features', False))
message('FeatureList', ('feature', 'Feature', True))
with_map('FeatureLists', 'feature_list', 'FeatureList')
message('SequenceExample', ('context', 'Features', False), ('feature_lists', 'FeatureLists', False))
# The same lists as old programs wrote them: number by number.
for name, kind in (('FloatList', F.TYPE_FLOAT), ('Int64List', F.TYPE_INT64)):
    m = message('Loose' + name, ('value', kind, True))
    m.field[0].options.packed = False

pool = descriptor_pool.DescriptorPool()
pool.Add(file)
of = lambda name: message_factory.GetMessageClass(pool.FindMessageTypeByName('t.' + name))
Example, SequenceExample = of('Example'), of('SequenceExample')

def fill(feature, values):
    if not values: return
    if isinstance(values[0], bytes): feature.bytes_list.value.extend(values)
    elif isinstance(values[0], float): feature.float_list.value.extend(values)
    else: feature.int64_list.value.extend(values)

def plain(values):
    if values and isinstance(values[0], bytes): return {'bytes': [base64.b64encode(v).decode() for v in values]}
    if values and isinstance(values[0], float): return {'floats': values}
    return {'ints': [str(v) for v in values]}

examples = [
    {'image/encoded': [bytes(range(256)) * 5], 'image/format': [b'jpeg'], 'image/height': [480], 'label': [7]},
    {'tokens': [101, 2023, 0, 127, 128, 16383, 16384, 2097151, 2097152, 268435455, 268435456, 2**32, 2**53 - 1, -1, -(2**53) + 1]},
    {'ids': [2**53, -(2**63), 2**63 - 1, 5]},
    {'embedding': [i * 0.5 - 3 for i in range(40)], 'scores': [0.25, -1.5]},
    {'names': ['żółw'.encode(), b'', b'\x00\xff'], 'żółw': [1], 'none': []},
    {},
]
expected = []
writer = RecordWriter('examples.tfrecord')
for features in examples:
    e = Example()
    for k, v in features.items(): fill(e.features.feature[k], v); e.features.feature[k]
    writer.write(e.SerializeToString(deterministic=True))
    expected.append({k: plain(v) for k, v in features.items()})
writer.close()

sequence = SequenceExample()
fill(sequence.context.feature['user'], [42])
for step in ([1, 2], [3], []): fill(sequence.feature_lists.feature_list['clicks'].feature.add(), step)
for step in ([0.5], [1.5, 2.5]): fill(sequence.feature_lists.feature_list['dwell'].feature.add(), step)

loose = {}
for name, values in (('FloatList', [0.5, -2.25]), ('Int64List', [1, -1, 300])):
    m = of('Loose' + name)(); m.value.extend(values)
    loose[name] = base64.b64encode(m.SerializeToString()).decode()

json.dump({'examples': expected, 'sequence': base64.b64encode(sequence.SerializeToString(deterministic=True)).decode(), 'loose': loose},
          open('examples.json', 'w'), indent=1, ensure_ascii=False)

mask = lambda c: ((c >> 15 | c << 17) + 0xa282ead8) & 0xffffffff
data, at, records = open('examples.tfrecord', 'rb').read(), 0, 0
while at < len(data):
    (length,), (check,) = struct.unpack_from('<Q', data, at), struct.unpack_from('<I', data, at + 8)
    assert mask(crc32c.crc32c(data[at:at + 8])) == check
    body = data[at + 12:at + 12 + length]
    assert (mask(crc32c.crc32c(body)),) == struct.unpack_from('<I', data, at + 12 + length)
    at += 16 + length; records += 1
assert records == len(examples)
