import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { csvLine, readCsv } from './csv.ts'
import { amountProblem, day, originIn, span } from './options.ts'
import { didYouMean } from './suggest.ts'
import { createFormatter, right } from './table.ts'
import { terminalText } from './terminal-text.ts'

test('CSV is read back as it was written, except for escaped spreadsheet formulas', () => {
  const field = fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', ' x', '1') }).map((text) => text.trim())

  fc.assert(
    fc.property(fc.array(fc.array(field, { minLength: 2, maxLength: 4 }), { maxLength: 5 }), (rows) => {
      const filled = rows.filter((row) => row.some((each) => each !== ''))
      const read = readCsv(rows.map(csvLine).join('\r\n'))
      assert.deepEqual(
        read.map(({ fields }) => fields),
        filled,
      )
    }),
  )
  assert.equal(csvLine(['=1+1', '+2', -3]), `'=1+1,'+2,-3`)
  assert.equal(csvLine(['a;=1', 'b\t @2', 'c\n-3', 'd=1']), `"a;'=1","b\t '@2","c\n'-3",d=1`)
})

test('a CSV record has the number of its first line', () => {
  const records = readCsv('\uFEFFa,b\n\n"x\ny",2\r\nlast,3')

  assert.deepEqual(records, [
    { line: 1, fields: ['a', 'b'] },
    { line: 3, fields: ['x\ny', '2'] },
    { line: 5, fields: ['last', '3'] },
  ])
  assert.throws(() => readCsv('a\n"b" c\n'), /line 2: /)
})

test('a CSV with semicolons is recognised by its first line, and only by that', () => {
  const fieldsOf = (text: string) => readCsv(text).map(({ fields }) => fields)

  assert.deepEqual(fieldsOf('\uFEFFa;b\r\n"x;y";1,5\r\n'), [
    ['a', 'b'],
    ['x;y', '1,5'],
  ])
  assert.deepEqual(fieldsOf('a,b\nx;y,2\n'), [
    ['a', 'b'],
    ['x;y', '2'],
  ])
  assert.deepEqual(fieldsOf('"a;b",c\n'), [['a;b', 'c']])
  assert.deepEqual(fieldsOf('"a,b";c\n'), [['a,b', 'c']])
  assert.throws(() => readCsv('a;b\n"x" y;1\n'), /line 2: /)
})

test('durations, days, amounts and addresses are read strictly', () => {
  assert.deepEqual(['90s', '15m', '3h', '2d', '1h30m'].map(span), [90, 900, 10_800, 172_800, 5400])
  for (const wrong of ['', '3', 'h', '3 h', '-3h', '0s', '3h!']) assert.throws(() => span(wrong), wrong)
  for (const wrong of ['2026-02-30', '2026-2-1', 'today', '']) assert.throws(() => day(wrong), wrong)
  for (const right of ['1', '99.50', '0.01', '123456789012345']) assert.equal(amountProblem(right), undefined)
  for (const wrong of ['', '0', '-1', '1e3', '1,5', '.5', '5.', '1234567890123456', 'NaN', ' 1'])
    assert.notEqual(amountProblem(wrong), undefined, wrong)
  assert.equal(originIn('http://127.0.0.1:8080/'), 'http://127.0.0.1:8080')
  for (const wrong of ['localhost:8080', 'ftp://x', 'http://x/api', 'http://u:p@x', ''])
    assert.equal(originIn(wrong), undefined)
})

test('an unknown word gets a suggestion only if it is close to a known word', () => {
  assert.equal(didYouMean('expire', ['expiry', 'lost-answer']), ' Did you mean expiry?')
  assert.equal(didYouMean('gt', ['list', 'get']), ' Did you mean get?')
  assert.equal(didYouMean('banana', ['expiry', 'lost-answer']), '')
  assert.equal(didYouMean('x', []), '')
})

test('columns align with any colours, numbers are on the right, and amounts are never rounded', () => {
  const cli = { variables: {}, actor: '', write: () => undefined, writeError: () => undefined }
  const screen = createFormatter({ ...cli, terminal: { columns: 80 } }, true)
  const plain = createFormatter(cli, true)
  const columns = { STATUS: (row: string) => screen.status(row), SIZE: right((row: string) => String(row.length)) }

  const lines = terminalText(screen.table(['failed', 'successful'], columns)).split('\n')

  assert.deepEqual(lines, [
    '\u001b[1mSTATUS\u001b[22m      \u001b[1mSIZE\u001b[22m',
    '\u001b[31mfailed\u001b[39m         6',
    '\u001b[32msuccessful\u001b[39m    10',
  ])
  assert.deepEqual(
    [screen.money(1234.5, 'KES'), screen.money(1234, 'UGX'), screen.money(0.125, 'KES')],
    ['1,234.50', '1,234', '0.125'],
  )
  assert.equal(plain.money(1234.5, 'KES'), '1234.5')
  const long = Array.from({ length: 20 }, () => 'word').join(' ')
  assert.ok(
    screen
      .wrap(long, 10)
      .split('\n')
      .every((each) => each.length <= 80),
  )
  assert.equal(screen.wrap(long, 10).replaceAll(/\s+/g, ' '), long)
  assert.equal(plain.wrap(long, 10), long)
})
