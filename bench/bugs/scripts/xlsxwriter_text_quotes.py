# xlsxwriter 3.3.0 -> 3.3.1: quotes in the text of a condition are not doubled
import io
import zipfile
import xlsxwriter
out = io.BytesIO()
book = xlsxwriter.Workbook(out, {'in_memory': True})
sheet = book.add_worksheet()
sheet.write_row(0, 0, ['say "so"', 'no', 3])
sheet.conditional_format('A1:C3', {
    'type': 'text', 'criteria': 'begins with', 'value': 'a "b"', 'format': book.add_format({'bold': True})})
book.close()
text = zipfile.ZipFile(out).read('xl/worksheets/sheet1.xml').decode()
found = text[text.index('<formula>'):text.index('</formula>')]
assert 'a ""b""' in found.replace('&quot;', '"'), found
