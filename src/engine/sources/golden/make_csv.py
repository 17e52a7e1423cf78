"""Makes excel.csv, unix.csv, semicolon.csv and csv.json with Python's csv module. csv.json is what its reader makes of them."""
import csv, json

rows = [
    ['id', 'text', 'note,with comma'],
    ['1', 'plain', ''],
    ['2', 'a "quoted" word', 'two\nlines'],
    ['3', '', 'crlf\r\ninside'],
    ['4', 'żółw, naïve 🐢', '"'],
    ['5', '""', ' spaces '],
    ['6', 'semi;colon', "single ' quote"],
    ['007', '-1.5e3', 'tab\tinside'],
]
kinds = {
    'excel': dict(dialect='excel'),
    'unix': dict(dialect='unix'),
    'semicolon': dict(delimiter=';', quotechar="'", lineterminator='\r', quoting=csv.QUOTE_ALL),
}
read = {}
for name, options in kinds.items():
    mark = '\ufeff' if name == 'excel' else ''
    with open(name + '.csv', 'w', newline='', encoding='utf-8') as file:
        file.write(mark)
        csv.writer(file, **options).writerows(rows)
    with open(name + '.csv', newline='', encoding='utf-8-sig') as file:
        read[name] = list(csv.reader(file, **options))
    assert read[name] == rows
json.dump(read, open('csv.json', 'w'), indent=1, ensure_ascii=False)
