import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareNames } from '../../packages/dashboard/src/pages/beneficiaries/compare-names.ts'
import {
  amountProblem,
  payoutOf,
  readBulkFile,
  resultFile,
  textOfFile,
} from '../../packages/dashboard/src/pages/bulk/bulk-file.ts'
import { readCsv } from '../../packages/dashboard/src/pages/bulk/csv.ts'
import { fromMinor, readAmount, toMinor } from '../../packages/dashboard/src/ui/amount.ts'

const fieldsOf = (text: string) => readCsv(text).map(({ fields }) => fields)

test('CSV is read with commas, semicolons, quotes, line breaks and a byte order mark', () => {
  assert.deepEqual(fieldsOf('a,b\r\n1,2\r\n'), [
    ['a', 'b'],
    ['1', '2'],
  ])
  assert.deepEqual(fieldsOf('\uFEFFa;b\n"x;y";"say ""no"""\n\n3;'), [
    ['a', 'b'],
    ['x;y', 'say "no"'],
    ['3', ''],
  ])
  assert.deepEqual(
    readCsv('"a,1";b\n"two\nlines";x\nlast;y').map(({ line }) => line),
    [1, 2, 4],
  )
  assert.deepEqual(fieldsOf(''), [])
})

test('CSV with an open quote or text after a quote names the line', () => {
  assert.throws(() => readCsv('a,b\n"open,2'), /Line 2: a quote is not closed/)
  assert.throws(() => readCsv('a,b\n1,2\n"x"y,2'), /Line 3: something stands after/)
  assert.throws(() => readCsv('a,b\n1,say "no"'), /Line 2: a quote stands inside/)
})

test('a file names its columns in any order and case, and unknown or missing ones are refused', () => {
  const { rows = [] } = readBulkFile('Amount;External reference;account_name\n300;w-1;Amina\n')
  assert.deepEqual(rows[0]?.fields, { amount: '300', externalReference: 'w-1', accountName: 'Amina' })
  assert.match(readBulkFile('amount,salary\n1,2').problem ?? '', /Unknown column: salary/)
  assert.match(readBulkFile('amount,currency\n1,KES').problem ?? '', /Missing: externalReference/)
  assert.match(readBulkFile('w-1,300,KES').problem ?? '', /first line must name the columns/)
  assert.match(readBulkFile('amount,externalReference').problem ?? '', /no rows/)
  assert.match(readBulkFile('').problem ?? '', /empty/)
  assert.match(readBulkFile('amount,externalReference\n1,500,w-1').problem ?? '', /Line 2 has 3 fields for 2 columns/)
  const many = Array.from({ length: 1001 }, (_, index) => `1,w-${index}`).join('\n')
  assert.match(readBulkFile(`amount,externalReference\n${many}`).problem ?? '', /1,001 rows/)
})

test('a decimal comma is refused with what to write, and the row is sent without an amount', () => {
  const { rows = [] } = readBulkFile('amount;externalReference\n1500,50;w-1\n1500.50;w-2')
  assert.match(amountProblem('1500,50') ?? '', /comma before the decimals/)
  assert.match(amountProblem('12x') ?? '', /not an amount/)
  assert.equal(amountProblem('1500.50'), undefined)
  assert.deepEqual(
    rows.map((row) => 'amount' in payoutOf(row)),
    [false, true],
  )
})

test('a file in another encoding or of any size is refused, and a large one is not read whole', async () => {
  const latin = new Blob([Buffer.from('accountName,amount\nJos\xe9,5\n', 'latin1')])
  const large = new Blob(['accountName\n', 'x'.repeat(8_000_000)])

  assert.match(readBulkFile(await textOfFile(latin)).problem ?? '', /not UTF-8/)
  assert.ok((await textOfFile(large)).length < 4_100_000)
  assert.match(readBulkFile(await textOfFile(large)).problem ?? '', /larger than 1 MB/)
})

test('results are written so that no spreadsheet takes a field for a formula', () => {
  const [, line] = resultFile([['1', '=1+1', '5', 'KES', 'Otieno, "A"', 'accepted', 'txn_1', 'ok']]).split('\r\n')
  assert.equal(line, `1,'=1+1,5,KES,"Otieno, ""A""",accepted,txn_1,ok`)
})

test('typed amounts are exact, and one that could be read in two ways is refused', () => {
  assert.deepEqual(readAmount('1,250.5', 'KES'), { amount: '1250.50' })
  assert.deepEqual(readAmount('1 500 000', 'UGX'), { amount: '1500000' })
  assert.match(readAmount('1500,50', 'KES').problem ?? '', /1500\.50/)
  assert.match(readAmount('10.5', 'UGX').problem ?? '', /no decimals/)
  assert.match(readAmount('0.00', 'KES').problem ?? '', /above zero/)
  assert.equal(fromMinor(toMinor('90071992547409.93', 'KES') + 1n, 'KES'), '90071992547409.94')
  assert.equal(fromMinor(toMinor(-0.05, 'KES'), 'KES'), '-0.05')
})

test('names match in any order and by initials, and another or missing word is a difference', () => {
  assert.equal(compareNames('Amina Otieno', 'AMINA OTIÉNO'), 'none')
  assert.equal(compareNames('Otieno Amina', 'AMINA OTIENO'), 'order')
  assert.equal(compareNames('A. Otieno', 'AMINA OTIENO'), 'initials')
  assert.equal(compareNames('Amina Otieno', 'AMINA W OTIENO'), 'initials')
  for (const other of ['Amina', 'Amina Wanjiru', 'A O', ''])
    assert.equal(compareNames(other, 'AMINA OTIENO'), 'differs', other)
})
